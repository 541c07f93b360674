import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { dataFolder, secretsFileOf } from "../backup/data-paths.ts";
import { mismatches, readSecrets } from "../backup/fingerprints.ts";
import { type OpenedBackup, openBackup } from "../backup/open-backup.ts";
import { restoreBackup, verifyBackup } from "../backup/restore-backup.ts";
import { exitOnSignals } from "../backup/temporary-folder.ts";
import { ExplainedError } from "../command.ts";
import type { Secrets } from "../service/secrets.ts";
import { lostPayouts } from "./prepare-restored.ts";

// npm run restore -- <file>: restores a backup into an empty data folder. docs/backup.md describes it.
//   --data <folder>        the data folder, as npm start has it
//   --secrets-file <file>  the secrets of the service that was backed up: they are checked, and put into the folder
// npm run restore -- --verify <file>: checks a backup, and the books in it; exit code 1 where the books are wrong.

const usage =
  "Usage: npm run restore -- <file> [--data <folder>] [--secrets-file <file>], or npm run restore -- --verify <file>";

function readArguments() {
  try {
    const { values, positionals } = parseArgs({
      options: { data: { type: "string" }, "secrets-file": { type: "string" }, verify: { type: "boolean" } },
      allowPositionals: true,
    });
    const { data, verify = false, "secrets-file": secretsFile } = values;
    const [file, ...others] = positionals;
    if (file && others.length === 0 && !(verify && (data !== undefined || secretsFile !== undefined))) {
      return { file: resolve(file), data, verify, secretsFile: secretsFile && resolve(secretsFile) };
    }
  } catch {
    // An unknown flag.
  }
  throw new ExplainedError(usage);
}

async function checkSecrets({ manifest }: OpenedBackup, file: string): Promise<Secrets> {
  const secrets = await readSecrets(file);
  const wrong = mismatches(manifest.secrets, secrets);
  if (wrong.length > 0) {
    throw new ExplainedError(
      `${file} is not of the service that was backed up: ${wrong.join(", ")} missing or different. Nothing was restored.`,
    );
  }
  return secrets;
}

async function restore(backup: OpenedBackup, data: string, named: string | undefined): Promise<void> {
  const secrets = named === undefined ? undefined : await checkSecrets(backup, named);
  const { applied, programs } = await restoreBackup(backup, { data, secrets });
  for (const name of applied) console.log(`applied ${name}`);
  console.log(`${data} is as the service was at ${backup.manifest.createdAt}.`);
  for (const line of lostPayouts(programs)) console.log(line);
  const secretsFile = secretsFileOf(data);
  const wrong = mismatches(backup.manifest.secrets, await readSecrets(secretsFile));
  console.log(
    wrong.length === 0
      ? `The secrets in ${secretsFile} fit.`
      : `Before you start the service, put the ${wrong.join(", ")} of the one that was backed up into ${secretsFile}, where they are missing or different, unless you start it with another file. With other secrets, click ids and sessions from before are invalid, and second factors can't be checked.`,
  );
}

try {
  const { file, data, verify, secretsFile } = readArguments();
  exitOnSignals();
  const backup = await openBackup(file);
  if (verify) process.exitCode = await verifyBackup(backup);
  else await restore(backup, dataFolder(data), secretsFile);
} catch (error) {
  console.error(error instanceof ExplainedError ? error.message : error);
  process.exitCode = 2;
}
