import { MigrationError } from "./migrate.ts";
import { prepareRestored } from "./prepare-restored.ts";
import { ServiceDatabaseError, serviceDatabase } from "./service-database.ts";

// npm run after-restore: to be run once the database was restored from a backup, before anything else. Applies the
// migrations that the backup lacks, makes the Ledger forget what it holds of the database before, and audits the books.
//   DATABASE_URL, DATABASE_AUTH_TOKEN  of a deployment; default: the service that npm start runs here

try {
  for (const name of await prepareRestored(await serviceDatabase())) console.log(`applied ${name}`);
  console.log("The Ledger starts afresh with its next request to the database. Now its books are checked.");
} catch (error) {
  const isExplained = error instanceof ServiceDatabaseError || error instanceof MigrationError;
  console.error(isExplained ? error.message : error);
  process.exitCode = 2;
}
