import { type ExitCode, exit } from "../../sdk/cli/exit.ts";
import { shardNumber } from "./arguments.ts";
import { beginMove, moveProgram } from "./mover.ts";
import { openPlaces, readProgram } from "./program.ts";

export async function run(args: string[]): Promise<ExitCode> {
  const { programId, rest, folder } = readProgram(args, 1);
  const to = shardNumber(rest[0], 0);
  const { places } = await openPlaces(folder);
  places.databaseOf(to);
  const startedAt = Date.now();
  const move = await beginMove(places, programId, to);
  await moveProgram(places, move);
  const seconds = ((Date.now() - startedAt) / 1_000).toFixed(1);
  console.log(
    `Program ${programId} is on shard ${to}, after ${seconds} s. Its rows on shard ${move.from} can be removed:`,
  );
  console.log(`npm run tributary -- shards clean ${programId}`);
  return exit.good;
}
