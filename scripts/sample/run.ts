import { explain } from "../command.ts";
import { serviceDatabase } from "../database/service-database.ts";
import { ensureSecrets } from "../service/secrets.ts";
import { addSampleProgram } from "./add.ts";
import { seedDemo } from "./demo.ts";

// Runs as `run.ts demo <file of the key and password>` or as `run.ts program <secrets file>`, with DATABASE_URL.

const [what, file = ""] = process.argv.slice(2);

try {
  const database = await serviceDatabase();
  if (what === "demo") await seedDemo(database, file);
  else await addSampleProgram(database, await ensureSecrets(file, true));
} catch (error) {
  console.error(explain(error));
  process.exitCode = 1;
}
