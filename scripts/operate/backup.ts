import { resolve } from "node:path";
import { type ExitCode, exit } from "../../sdk/cli/exit.ts";
import { dataFolder, secretsFileOf } from "../backup/data-paths.ts";
import { wholeFileFlags } from "../backup/whole-file.ts";
import { writeBackup } from "../backup/write-backup.ts";
import { operatorCommand } from "../command.ts";

export const help = `${operatorCommand} backup <file> [--data <folder>] [--secrets-file <file>] [--force]

Copies the data of a service on this machine into one file, also while it runs.
The service's page /docs/guides/backup/ describes it.

  --data <folder>        the data folder; default: TRIBUTARY_DATA, or .data
  --secrets-file <file>  the Worker's secrets, of which the backup keeps fingerprints; default: where the service keeps them
  --force                replaces an existing file`;

export async function run(args: string[]): Promise<ExitCode> {
  const { file, replaces, ...named } = wholeFileFlags(args, "Name the file of the backup.");
  const data = dataFolder(named.data);
  const secretsFile = named.secretsFile === undefined ? secretsFileOf(data) : resolve(named.secretsFile);
  const { bytes, unknownSecrets } = await writeBackup({ data, file, secretsFile, replaces });
  console.log(`${file}: ${(bytes / 1e6).toFixed(1)} MB.`);
  console.log(`It does not contain the secrets. Keep those in ${secretsFile} elsewhere, in a vault.`);
  if (unknownSecrets.length > 0) {
    console.error(
      `${secretsFile} lacks ${unknownSecrets.join(", ")}: a restore can't check whether it has the right ones. Name another file: --secrets-file`,
    );
  }
  return exit.good;
}
