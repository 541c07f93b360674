import { type ExitCode, exit } from "../../sdk/cli/exit.ts";
import { confirm, isTerminal } from "../../sdk/cli/imports/confirm.ts";
import { ExplainedError, operatorCommand } from "../command.ts";
import { shardNumber } from "./arguments.ts";
import { expectedSeconds } from "./expected-seconds.ts";
import { type Agree, beginMove, moveProgram } from "./mover.ts";
import { openPlaces, readProgram } from "./program.ts";

const askedAboveSeconds = 60;

export async function run(args: string[]): Promise<ExitCode> {
  const { programId, rest, folder, yes } = readProgram(args, 1);
  const to = shardNumber(rest[0], 0);
  const { places } = await openPlaces(folder);
  places.databaseOf(to);
  const agree: Agree = async ({ rows, roundTripMs }) => {
    const seconds = expectedSeconds(rows, roundTripMs);
    console.log(
      `${rows.toLocaleString("en")} rows: program ${programId} will be frozen for about ${inWords(seconds)}.`,
    );
    if (seconds > askedAboveSeconds && !yes) await ask();
  };
  const move = await beginMove(places, programId, to, agree);
  const frozenForMs = await moveProgram(places, move);
  const frozen = frozenForMs === undefined ? "" : ` It was frozen for ${(frozenForMs / 1_000).toFixed(1)} s.`;
  console.log(`Program ${programId} is on shard ${to}.${frozen}`);
  console.log(`Its rows on shard ${move.from} can be removed:`);
  console.log(`${operatorCommand} shards clean ${programId}`);
  return exit.good;
}

const inWords = (seconds: number): string =>
  seconds <= askedAboveSeconds ? `${Math.ceil(seconds)} s` : `${Math.ceil(seconds / 60)} minutes`;

async function ask(): Promise<void> {
  if (!isTerminal()) throw new ExplainedError("That is more than a minute: add --yes to move it all the same.");
  if (!(await confirm("Move it now?"))) throw new ExplainedError("Nothing was changed.");
}
