import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { dataFolder, secretsFileOf } from "../backup/data-paths.ts";
import { exitOnSignals } from "../backup/temporary-folder.ts";
import { writeBackup } from "../backup/write-backup.ts";
import { ExplainedError } from "../command.ts";

// npm run backup -- <file>: copies the data of the service that npm start runs into one file. docs/backup.md describes it.
//   --data <folder>        the data folder, as npm start has it
//   --secrets-file <file>  the Worker's secrets, of which the backup keeps fingerprints; default: where the service keeps them
//   --force                replaces an existing file

const usage = "Usage: npm run backup -- <file> [--data <folder>] [--secrets-file <file>] [--force]";

function readArguments() {
  try {
    const { values, positionals } = parseArgs({
      options: { data: { type: "string" }, "secrets-file": { type: "string" }, force: { type: "boolean" } },
      allowPositionals: true,
    });
    const [file, ...others] = positionals;
    if (file && others.length === 0) return { ...values, file: resolve(file) };
  } catch {
    // An unknown flag.
  }
  throw new ExplainedError(usage);
}

try {
  const { file, data: folder, force = false, "secrets-file": named } = readArguments();
  const data = dataFolder(folder);
  const secretsFile = named === undefined ? secretsFileOf(data) : resolve(named);
  exitOnSignals();
  const { bytes, unknownSecrets } = await writeBackup({ data, file, secretsFile, replaces: force });
  console.log(`${file}: ${(bytes / 1e6).toFixed(1)} MB.`);
  console.log(`It does not contain the secrets. Keep those in ${secretsFile} elsewhere, in a vault.`);
  if (unknownSecrets.length > 0) {
    console.error(
      `${secretsFile} lacks ${unknownSecrets.join(", ")}: a restore can't check whether it has the right ones. Name another file: --secrets-file`,
    );
  }
} catch (error) {
  console.error(error instanceof ExplainedError ? error.message : error);
  process.exitCode = 2;
}
