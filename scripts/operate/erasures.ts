import { type ExitCode, exit } from "../../sdk/cli/exit.ts";
import { wholeFileFlags } from "../backup/whole-file.ts";
import { ExplainedError, operatorCommand } from "../command.ts";
import { allDatabases } from "../database/service-database.ts";
import { erasureSecrets } from "../erasures/erasure-keys.ts";
import { writeErasures } from "../erasures/write-erasures.ts";

export const help = `${operatorCommand} erasures <file> [--data <folder>] [--secrets-file <file>] [--force]

Writes what was erased, in all programs, into one file: receipts and keyed digests, no names. A restore of an older backup
repeats with it the erasures that the backup lacks. Only reads the service, whose page /docs/guides/privacy/ describes it.

  --data <folder>        the data folder of a service that runs here
  --secrets-file <file>  the Worker's secrets, of which the file keeps a fingerprint; default: the environment, or where the service
                         keeps them
  --force                replaces an existing file`;

export async function run(args: string[]): Promise<ExitCode> {
  const { file, data, secretsFile, replaces } = wholeFileFlags(args, "Name the file to write.");
  const databases = await allDatabases(data);
  const { secrets, place } = await erasureSecrets(secretsFile, data);
  if (!secrets.HASH_SECRET) {
    throw new ExplainedError(
      `${place} lacks HASH_SECRET, by which a restore reads the file. Name another file: --secrets-file`,
    );
  }
  const { receipts, digests } = await writeErasures(databases, { file, secrets, replaces });
  console.log(
    `${file}: ${receipts} erasures, ${digests} digests. Keep it with the backups, and the newest one in any case.`,
  );
  return exit.good;
}
