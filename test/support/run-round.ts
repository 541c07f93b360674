import { commit } from "../../src/engine/commit.ts";
import { decide } from "../../src/engine/decide.ts";
import type { FencedWriter } from "../../src/engine/fenced-writer.ts";
import { type Decisions, gather, type RoundContext } from "../../src/engine/round.ts";
import type { Task } from "../../src/engine/task.ts";

export async function runRound(
  tasks: readonly Task[],
  writer: FencedWriter,
  context: RoundContext,
): Promise<Decisions> {
  const decisions = decide(await gather(tasks, writer, context), {}, context);
  await commit(decisions.decided, [], writer, context);
  return decisions;
}
