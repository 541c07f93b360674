import { reportAudit } from "./audit/report.ts";
import { readFlags } from "./read-flags.ts";
import { ServiceDatabaseError, serviceDatabase } from "./service-database.ts";

// npm run audit:ledger: audits the books of DATABASE_URL, or of the service that `npm start` runs. Exit code 1 if they
// are wrong.
//   -- --data <folder>  of the service that runs here on this data folder

const { data } = readFlags("Usage: npm run audit:ledger [-- --data <folder>]", { data: { type: "string" } });

try {
  process.exitCode = await reportAudit(await serviceDatabase(data));
} catch (error) {
  console.error(error instanceof ServiceDatabaseError ? error.message : error);
  process.exitCode = 2;
}
