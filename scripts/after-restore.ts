import { openDatabase } from "../src/store/database.ts";
import { outdateWriters } from "../src/store/writer.ts";
import { MigrationError, migrate } from "./migrate.ts";
import { ServiceDatabaseError, serviceDatabase } from "./service-database.ts";

// npm run after-restore: to be run once the database was restored from a backup, before anything else. Applies the
// migrations that the backup lacks, makes the Ledger forget what it holds of the database before, and audits the books.
//   DATABASE_URL, DATABASE_AUTH_TOKEN  of a deployment; default: the service that npm start runs here

try {
  const { url, authToken } = await serviceDatabase();
  for (const name of await migrate({ url, authToken })) console.log(`applied ${name}`);
  await outdateWriters(openDatabase({ url, authToken }));
  console.log("The Ledger starts afresh with its next request to the database. Now its books are checked.");
} catch (error) {
  const isExplained = error instanceof ServiceDatabaseError || error instanceof MigrationError;
  console.error(isExplained ? error.message : error);
  process.exitCode = 2;
}
