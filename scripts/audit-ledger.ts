import { reportAudit } from "./audit/report.ts";
import { ServiceDatabaseError, serviceDatabase } from "./service-database.ts";

// npm run audit:ledger: checks the books of DATABASE_URL, or of what `npm start` runs; exit code 1 where they are wrong.

try {
  process.exitCode = await reportAudit(await serviceDatabase());
} catch (error) {
  console.error(error instanceof ServiceDatabaseError ? error.message : error);
  process.exitCode = 2;
}
