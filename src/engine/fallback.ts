import type { Settings } from "../operations/operation.ts";
import { acceptClick, type ClickAnswer, type ClickCall, clickAnswer } from "../operations/track/record-click.ts";
import type { LoopParts } from "./loop-parts.ts";
import type { Queue } from "./queue.ts";
import { retryAfterSeconds } from "./round.ts";
import type { Task } from "./task.ts";

/** A call that has waited this long is answered while its caller still listens. */
export const maxWaitMs = 9_000;

/** Answers calls without the database: keeps clicks of known links in the object's own storage, refuses all others. */
export class Fallback {
  readonly #parts: Pick<LoopParts, "spill" | "clock" | "context">;
  readonly #queue: Queue<Task>;
  keepsClicks = true;

  constructor(parts: Pick<LoopParts, "spill" | "clock" | "context">, queue: Queue<Task>) {
    this.#parts = parts;
    this.#queue = queue;
  }

  answer(task: Task, retryAfter = retryAfterSeconds): void {
    const answer = this.keepsClicks && isKeepable(task.call) ? this.#tryKeep(task.call) : undefined;
    if (answer === undefined) task.refuse({ code: "unavailable", retryAfterSeconds: retryAfter });
    else task.answer(answer, "programId" in answer ? { programId: answer.programId } : {});
  }

  answerAll(tasks: readonly Task[]): void {
    for (const task of [...tasks, ...this.#queue.removeAll()]) if (!task.isSettled) this.answer(task);
  }

  answerExpired(tasks: readonly Task[] = []): void {
    const isExpired = ({ arrivedAt }: Task) => this.#parts.clock.now() - arrivedAt > maxWaitMs;
    const expired = tasks.filter((task) => !task.isSettled && isExpired(task));
    for (const task of [...this.#queue.removeExpired(isExpired), ...expired]) this.answer(task);
  }

  #tryKeep(call: ClickCall): ClickAnswer | undefined {
    try {
      return this.#keep(call);
    } catch (error) {
      this.#parts.context.report("ledger.click_not_kept", error, call.operationId);
      return undefined;
    }
  }

  #keep(call: ClickCall): ClickAnswer | undefined {
    const { spill, context } = this.#parts;
    const { settings } = context;
    const known: Settings = {
      program: (id) => settings.program(id) ?? spill.settings.program(id),
      link: (id) => settings.link(id) ?? spill.settings.link(id),
      linkByCode: (code, programId) =>
        settings.linkByCode(code, programId) ?? spill.settings.linkByCode(code, programId),
      codeOwners: (code) => settings.codeOwners(code),
      policies: () => undefined,
    };
    const click = acceptClick(call, { ...context, settings: known });
    if (click.kind === "commit") return click.answer;
    if (click.kind !== "accept") return undefined;
    const clickId = spill.keep(click.row);
    return clickId === undefined ? undefined : clickAnswer(click, clickId, 0);
  }
}

/** Without a round no key is checked, and nothing tells which programs share a code. */
function isKeepable(call: Task["call"]): call is ClickCall {
  if (call.kind !== "click" || call.key !== undefined) return false;
  const { isTest, programId } = call as ClickCall;
  return !isTest && programId !== undefined;
}
