import type { Shard } from "#domain/ids.ts";
import { mintProgramKey } from "#domain/program-key.ts";
import { home, idsPerRange } from "#domain/shard.ts";
import { type ExitCode, exit } from "../../sdk/cli/exit.ts";
import { ExplainedError } from "../command.ts";
import { pendingMigrations } from "../database/migrate.ts";
import { serviceDatabase } from "../database/service-database.ts";
import { setOpen } from "../database/shards.ts";
import { type OperatorApi, operatorApi } from "../service/operator-api.ts";
import { readShard, requireConfigured } from "./arguments.ts";

export async function run(args: string[]): Promise<ExitCode> {
  const { shard, folder } = readShard(args, 0);
  const { databases } = await serviceDatabase(folder);
  const database = requireConfigured(databases, shard);
  if (shard !== home) {
    const pending = await pendingMigrations(database);
    if (pending.length > 0)
      throw new ExplainedError(`Shard ${shard} lacks the migration ${pending.join(", ")}: deploy first.`);
    await requireServed(await operatorApi(folder), shard);
  }
  await setOpen(databases[0], shard, true);
  console.log(`Shard ${shard} is open: new programs may be created on it.`);
  return exit.good;
}

/**
 * Throws unless the service has the shard in its configuration. Otherwise the home shard's Ledger would answer for it.
 */
async function requireServed({ origin, send }: OperatorApi, shard: Shard): Promise<void> {
  await send("GET", `/spill?shard=${shard}`);
  const nobodysKey = mintProgramKey(shard * idsPerRange + 1, new Uint8Array(32));
  const { status } = await fetch(`${origin}/api/v1/programs/me/readiness`, {
    headers: { authorization: `Bearer ${nobodysKey}` },
    signal: AbortSignal.timeout(30_000),
  });
  if (status === 401) return;
  throw new ExplainedError(
    `Shard ${shard} does not work: ${origin} answers ${status} for it. The Worker's log says why.`,
  );
}
