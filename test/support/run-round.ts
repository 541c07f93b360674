import type { FencedWriter } from "../../src/ledger/fenced-writer.ts";
import { LockSet } from "../../src/ledger/lock-set.ts";
import { commit, type Decisions, decide, gather, type RoundContext } from "../../src/ledger/round.ts";
import type { Task } from "../../src/ledger/task.ts";

export async function runRound(
  tasks: readonly Task[],
  writer: FencedWriter,
  context: RoundContext,
): Promise<Decisions> {
  const decisions = decide(await gather(tasks, writer, context), new LockSet(), context);
  await commit(decisions.decided, [], writer, context);
  return decisions;
}
