import { type ExitCode, exit } from "../../sdk/cli/exit.ts";
import { parseFlags } from "../../sdk/cli/flags.ts";
import { reportAddresses } from "../audit/addresses.ts";
import { reportAudit } from "../audit/report.ts";
import { operatorCommand } from "../command.ts";
import { serviceDatabase } from "../database/service-database.ts";
import { reportErasures } from "../erasures/audit-erasures.ts";
import { erasureSecrets } from "../erasures/erasure-keys.ts";
import { namedErasures } from "../erasures/named-erasures.ts";

export const help = `${operatorCommand} audit [--data <folder>] [--secrets-file <file>] [--erasures <file>]

Checks the books and prints what is wrong, with ids: those of each shard, then what lies across the shards. Only reads.
Exit code 1 if they are wrong. Where HASH_SECRET is known, compares partners' addresses with their digests, too.

  --erasures <file>      also looks for what was erased, by a file of \`erasures\`: a restore without it brings that back
  --secrets-file <file>  where HASH_SECRET is, unless it is in the environment; default: the data folder's own file`;

export async function run(args: string[]): Promise<ExitCode> {
  const { values } = parseFlags(
    args,
    { data: { type: "string" }, erasures: { type: "string" }, "secrets-file": { type: "string" } },
    0,
  );
  const { databases } = await serviceDatabase(values.data);
  const { erasures: named, "secrets-file": secretsFile, data } = values;
  const erasures = named === undefined ? undefined : await namedErasures(named, secretsFile, data);
  const code = await reportAudit(databases);
  if (code === exit.unreachable) return code;
  const hashSecret = erasures?.keys.hashSecret ?? (await knownSecret(secretsFile, data));
  const codes = [
    code,
    hashSecret === undefined ? exit.good : await reportAddresses(databases, hashSecret),
    erasures === undefined ? exit.good : await reportErasures(databases, erasures.file, erasures.keys.hashSecret),
  ];
  return codes.find((each) => each !== exit.good) ?? exit.good;
}

/**
 * HASH_SECRET, if it is known to belong to the database. The secrets in the data folder aren't used for a database in
 * DATABASE_URL, which may be another service's.
 */
async function knownSecret(file: string | undefined, data: string | undefined): Promise<string | undefined> {
  const { DATABASE_URL, HASH_SECRET } = process.env;
  const isOfFolder = data !== undefined || !DATABASE_URL;
  if (file === undefined && !HASH_SECRET && !isOfFolder) return undefined;
  const { secrets } = await erasureSecrets(file, data);
  return secrets.HASH_SECRET;
}
