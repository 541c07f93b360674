import { reportAudit } from "./audit/report.ts";
import { ServiceDatabaseError, serviceDatabase } from "./service-database.ts";

// npm run audit:ledger: audits the books of DATABASE_URL, or of the service that `npm start` runs. Exit code 1 if they
// are wrong.

try {
  process.exitCode = await reportAudit(await serviceDatabase());
} catch (error) {
  console.error(error instanceof ServiceDatabaseError ? error.message : error);
  process.exitCode = 2;
}
