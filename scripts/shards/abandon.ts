import { type ExitCode, exit } from "../../sdk/cli/exit.ts";
import { abandonMove } from "./mover.ts";
import { openPlaces, readProgram, requireOpenMove } from "./program.ts";

export async function run(args: string[]): Promise<ExitCode> {
  const { programId, folder } = readProgram(args, 0);
  const { places, service } = await openPlaces(folder);
  const move = await requireOpenMove(service, programId);
  await abandonMove(places, move);
  console.log(`Program ${programId} stays on shard ${move.from}.`);
  return exit.good;
}
