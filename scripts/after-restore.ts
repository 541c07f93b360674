import { reportAudit } from "./audit/report.ts";
import { MigrationError } from "./migrate.ts";
import { prepareRestored } from "./prepare-restored.ts";
import { ServiceDatabaseError, serviceDatabase } from "./service-database.ts";

// npm run after-restore: run it once the database is restored from a backup, before anything else. It applies the
// migrations that the backup lacks, makes the Ledger forget the database before, and audits the books.
//   DATABASE_URL, DATABASE_AUTH_TOKEN  of a deployment; default: the service that npm start runs here

try {
  const database = await serviceDatabase();
  for (const name of await prepareRestored(database)) console.log(`applied ${name}`);
  console.log("The Ledger starts afresh with its next request to the database. Now its books are checked.");
  process.exitCode = await reportAudit(database);
} catch (error) {
  const isExplained = error instanceof ServiceDatabaseError || error instanceof MigrationError;
  console.error(isExplained ? error.message : error);
  process.exitCode = 2;
}
