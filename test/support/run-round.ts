import { commit } from "../../src/ledger/commit.ts";
import { decide } from "../../src/ledger/decide.ts";
import type { FencedWriter } from "../../src/ledger/fenced-writer.ts";
import { type Decisions, gather, type RoundContext } from "../../src/ledger/round.ts";
import type { Task } from "../../src/ledger/task.ts";

export async function runRound(
  tasks: readonly Task[],
  writer: FencedWriter,
  context: RoundContext,
): Promise<Decisions> {
  const decisions = decide(await gather(tasks, writer, context), {}, context);
  await commit(decisions.decided, [], writer, context);
  return decisions;
}
