import { reportAudit } from "../audit/report.ts";
import { ExplainedError, readFlags } from "../command.ts";
import { serviceDatabase } from "../database/service-database.ts";
import { lostPayouts, prepareRestored } from "./prepare-restored.ts";

// npm run after-restore: run it once the database is restored from a backup, before anything else. It applies the
// migrations that the backup lacks, makes the Ledger forget the database before, and audits the books.
//   -- --data <folder>                 of the service that runs here on this data folder
//   DATABASE_URL, DATABASE_AUTH_TOKEN  of a deployment; default: the service that npm start runs here

const { data } = readFlags("Usage: npm run after-restore [-- --data <folder>]", { data: { type: "string" } });

try {
  const database = await serviceDatabase(data);
  const { applied, programs } = await prepareRestored(database);
  for (const name of applied) console.log(`applied ${name}`);
  for (const line of lostPayouts(programs)) console.log(line);
  console.log("The Ledger starts afresh with its next request to the database. Now its books are checked.");
  process.exitCode = await reportAudit(database);
} catch (error) {
  const isExplained = error instanceof ExplainedError || error instanceof ExplainedError;
  console.error(isExplained ? error.message : error);
  process.exitCode = 2;
}
