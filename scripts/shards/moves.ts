import { type ExitCode, exit } from "../../sdk/cli/exit.ts";
import { parseFlags } from "../../sdk/cli/flags.ts";
import { withClient } from "../database/client.ts";
import { serviceDatabase } from "../database/service-database.ts";

const shown = 50;

export async function run(args: string[]): Promise<ExitCode> {
  const { values } = parseFlags(args, { data: { type: "string" } }, 0);
  const { databases } = await serviceDatabase(values.data);
  const { rows } = await withClient(databases[0], (client) =>
    client.execute({ sql: "select * from program_moves order by id desc limit ?", args: [shown] }),
  );
  if (rows.length === 0) console.log("No program has been moved.");
  for (const { program_id: programId, from_shard: from, to_shard: to, state, started_at: startedAt } of rows) {
    const at = new Date(Number(startedAt)).toISOString();
    console.log(`${at}  program ${programId}  shard ${from} to ${to}  ${state}`);
  }
  return exit.good;
}
