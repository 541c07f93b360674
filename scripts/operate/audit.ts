import { reportAudit } from "../audit/report.ts";
import { ExplainedError, readFlags } from "../command.ts";
import { serviceDatabase } from "../database/service-database.ts";

// npm run audit:ledger: audits the books of DATABASE_URL, or of the service that `npm start` runs. Exit code 1 if they
// are wrong.
//   -- --data <folder>  of the service that runs here on this data folder

const { data } = readFlags("Usage: npm run audit:ledger [-- --data <folder>]", { data: { type: "string" } });

try {
  process.exitCode = await reportAudit(await serviceDatabase(data));
} catch (error) {
  console.error(error instanceof ExplainedError ? error.message : error);
  process.exitCode = 2;
}
