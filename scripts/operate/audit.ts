import { type ExitCode, exit } from "../../sdk/cli/exit.ts";
import { parseFlags } from "../../sdk/cli/flags.ts";
import { reportAudit } from "../audit/report.ts";
import { serviceDatabase } from "../database/service-database.ts";
import { reportErasures } from "../erasures/audit-erasures.ts";
import { namedErasures } from "../erasures/named-erasures.ts";

export const help = `npm run tributary -- audit [--data <folder>] [--erasures <file> [--secrets-file <file>]]

Checks the books and prints what is wrong, with ids: those of each shard, then what lies across the shards. Only reads.
Exit code 1 if they are wrong.

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
  if (erasures === undefined || code === exit.unreachable) return code;
  const found = await reportErasures(databases, erasures.file, erasures.keys.hashSecret);
  return code === exit.good ? found : code;
}
