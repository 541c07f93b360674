import { type ExitCode, exit } from "../../sdk/cli/exit.ts";
import { shardNumber } from "./arguments.ts";
import { beginMove, moveProgram } from "./mover.ts";
import { openPlaces, readProgram } from "./program.ts";

const seconds = (ms: number) => `${(ms / 1_000).toFixed(1)} s`;

export async function run(args: string[]): Promise<ExitCode> {
  const { programId, rest, folder } = readProgram(args, 1);
  const to = shardNumber(rest[0], 0);
  const { places } = await openPlaces(folder);
  places.databaseOf(to);
  const startedAt = Date.now();
  const move = await beginMove(places, programId, to);
  const frozenForMs = await moveProgram(places, move);
  const frozen = frozenForMs === undefined ? "" : `, of which it was frozen for ${seconds(frozenForMs)}`;
  console.log(`Program ${programId} is on shard ${to}, after ${seconds(Date.now() - startedAt)}${frozen}.`);
  console.log(`Its rows on shard ${move.from} can be removed:`);
  console.log(`npm run tributary -- shards clean ${programId}`);
  return exit.good;
}
