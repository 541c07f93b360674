import { existsSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { type ExitCode, exit } from "../../sdk/cli/exit.ts";
import { parseFlags, UsageError } from "../../sdk/cli/flags.ts";
import { dataFolder, secretsFileOf } from "../backup/data-paths.ts";
import { mismatches, readSecrets } from "../backup/fingerprints.ts";
import { type OpenedBackup, openBackup } from "../backup/open-backup.ts";
import { restoreBackup, verifyBackup } from "../backup/restore-backup.ts";
import { ExplainedError, isRunByNpm, operatorCommand } from "../command.ts";
import { lostPayouts } from "../database/prepare-restored.ts";
import { describeApplied } from "../erasures/apply-erasures.ts";
import { erasureKeysOf } from "../erasures/erasure-keys.ts";
import { openErasures } from "../erasures/erasures-file.ts";
import type { NamedErasures } from "../erasures/named-erasures.ts";
import type { Secrets } from "../service/secrets.ts";

export const help = `${operatorCommand} restore <file> [--data <folder>] [--secrets-file <file>] [--erasures <file>]
${operatorCommand} restore <file> --verify

Restores a backup into an empty data folder, all or nothing. The service's page /docs/guides/backup/ describes it.

  --data <folder>        the data folder; default: TRIBUTARY_DATA${isRunByNpm ? ", or .data" : ""}
  --secrets-file <file>  the secrets of the service that was backed up: they are checked, and put into the folder
  --erasures <file>      a file of \`erasures\`: repeats those that the backup lacks, before the folder gets its name
  --verify               only checks the backup, and the books in it; exit code 1 if it is damaged, or they are wrong`;

export async function run(args: string[]): Promise<ExitCode> {
  const { values, positionals } = parseFlags(
    args,
    {
      data: { type: "string" },
      "secrets-file": { type: "string" },
      erasures: { type: "string" },
      verify: { type: "boolean" },
    },
    1,
  );
  const [file] = positionals;
  const { data, verify = false, "secrets-file": secretsFile, erasures } = values;
  if (!file) throw new UsageError("Name the file of the backup.");
  if (verify && [data, secretsFile, erasures].some((value) => value !== undefined)) {
    throw new UsageError("--verify restores nothing: leave out --data, --secrets-file and --erasures.");
  }
  if (!verify && data === undefined && !process.env.TRIBUTARY_DATA && !isRunByNpm) {
    throw new UsageError("Name the data folder: --data <folder>, or TRIBUTARY_DATA.");
  }
  const backup = await openBackup(resolve(file));
  if (verify) return verifyBackup(backup);
  await restore(backup, { data: dataFolder(data), named: secretsFile && resolve(secretsFile), erasures });
  return exit.good;
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

/**
 * Opens the file of erasures for a backup. The secrets must be the backup's, because other secrets would match no
 * erased customer.
 */
async function openFor(backup: OpenedBackup, erasures: string, secretsFile: string): Promise<NamedErasures> {
  const secrets = await checkSecrets(backup, secretsFile);
  return { file: await openErasures(resolve(erasures), secrets), keys: erasureKeysOf(secrets, secretsFile) };
}

/**
 * Names the secrets file that the service will read. If neither the folder nor the backup shows which one, it depends
 * on the command that starts the service.
 */
function placeOf(secretsFile: string, { manifest }: OpenedBackup): string {
  const folder = dirname(secretsFile);
  if (existsSync(secretsFile) || basename(secretsFile) === ".dev.vars") return secretsFile;
  if (manifest.secrets.file !== undefined) return join(folder, manifest.secrets.file);
  return `${join(folder, "secrets.env")} (for serve) or ${join(folder, "dev.vars")} (for npm start)`;
}

interface Wanted {
  readonly data: string;
  /** The file of secrets that is named on the command line. */
  readonly named: string | undefined;
  readonly erasures: string | undefined;
}

async function restore(backup: OpenedBackup, { data, named, erasures }: Wanted): Promise<void> {
  const secrets = named === undefined ? undefined : await checkSecrets(backup, named);
  const opened = erasures === undefined ? undefined : await openFor(backup, erasures, named ?? secretsFileOf(data));
  const { applied, programs, erased } = await restoreBackup(backup, { data, secrets, erasures: opened });
  for (const name of applied) console.log(`applied ${name}`);
  console.log(`${data} is as the service was at ${backup.manifest.createdAt}.`);
  if (erased !== undefined) for (const line of describeApplied(erased)) console.log(line);
  for (const line of lostPayouts(programs)) console.log(line);
  const secretsFile = secretsFileOf(data);
  const wrong = mismatches(backup.manifest.secrets, await readSecrets(secretsFile));
  const place = placeOf(secretsFile, backup);
  console.log(
    wrong.length === 0
      ? `The secrets in ${secretsFile} fit.`
      : `Before you start the service, put the ${wrong.join(", ")} of the one that was backed up into ${place}, where they are missing or different, unless you start it with another file. With other secrets, click ids and sessions from before are invalid, and second factors can't be checked.`,
  );
}
