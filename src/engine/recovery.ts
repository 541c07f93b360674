import { decide } from "./decide.ts";
import type { Duties } from "./duties.ts";
import { type Fallback, maxWaitMs } from "./fallback.ts";
import type { Outage } from "./outage.ts";
import type { LoopParts } from "./parts.ts";
import type { Queue } from "./queue.ts";
import { type Decisions, gather, type RoundCommit } from "./round.ts";
import type { Task } from "./task.ts";
import { Superseded, Unreachable } from "./writer.ts";

/** A long pause (in seconds) before the retry of a call that may delay all other calls each time it is sent. */
export const retryHeavyAfterSeconds = 60;

export type FailedRound = Pick<RoundCommit, "tasks" | "hasInternalWrites">;

export interface RecoveryTools {
  readonly queue: Queue<Task>;
  readonly duties: Duties;
  readonly fallback: Fallback;
  readonly outage: Outage;
  readonly runRound: () => Promise<RoundCommit>;
  readonly commit: (decisions: Decisions) => Promise<void>;
}

/**
 * Finds out why a round failed: because of another writer, an outage, or one of its writes. In the last case, the
 * writes are sent one by one.
 */
export class Recovery {
  readonly #parts: LoopParts;
  readonly #tools: RecoveryTools;
  #isInterrupted = false;

  constructor(parts: LoopParts, tools: RecoveryTools) {
    this.#parts = parts;
    this.#tools = tools;
  }

  async recover(error: unknown, failed: FailedRound): Promise<void> {
    const { outage } = this.#tools;
    if (error instanceof Superseded) this.#abortSuperseded(error, failed.tasks);
    else if (await outage.explains(error)) outage.begin(error, failed.tasks);
    else await this.#isolateFailure(error, failed);
  }

  #abortSuperseded(error: Superseded, tasks: readonly Task[]): void {
    for (const task of [...tasks, ...this.#tools.queue.removeAll()]) task.fail(error);
    this.#parts.abort(error.message);
  }

  /** Sends the calls one by one, because the error doesn't say which call failed. */
  async #isolateFailure(error: unknown, { tasks, hasInternalWrites }: FailedRound): Promise<void> {
    const { duties, outage, fallback } = this.#tools;
    let left = unsettled(tasks);
    if (hasInternalWrites) duties.postpone(error);
    // After an `Unreachable`, the probe has already claimed the database (become its writer), so there is no outage.
    else if (left.length === 0 && !(error instanceof Unreachable)) outage.begin(error, []);
    // If all other calls succeed, the last call is the cause of the failure. It is the call with the most writes.
    let isLastAtFault = !hasInternalWrites && (error instanceof Unreachable || left.length === 1);
    while (left.length > 0 && !outage.isOngoing) {
      const [first, ...behind] = left;
      if (first === undefined) return;
      const isAtFault = behind.length === 0 && isLastAtFault && !this.#mayRetry(error, first);
      if (isAtFault) this.#refuse(error, first);
      else if (!(await this.#passes(first, behind))) {
        isLastAtFault = false;
        await this.#runRoundOfOthers();
        fallback.answerExpired(behind);
      }
      left = unsettled(behind);
    }
    for (const task of left) fallback.answer(task);
  }

  /** True if the database may have been unavailable only briefly, and the caller can wait for another attempt. */
  #mayRetry(error: unknown, { arrivedAt }: Task): boolean {
    return error instanceof Unreachable && this.#parts.clock.now() - arrivedAt < maxWaitMs / 2;
  }

  async #passes(task: Task, behind: readonly Task[]): Promise<boolean> {
    const { writer } = this.#parts;
    const { queue, outage, commit } = this.#tools;
    try {
      if (!writer.isClaimed) await this.#parts.claim();
      const decisions = decide(await gather([task], writer), {}, this.#parts);
      queue.requeue(decisions.deferred);
      await commit(decisions);
      return true;
    } catch (error) {
      if (error instanceof Superseded) this.#abortSuperseded(error, [task, ...behind]);
      else if (await outage.explains(error)) outage.begin(error, [task]);
      else this.#refuse(error, task);
      return false;
    }
  }

  #refuse(error: unknown, task: Task): void {
    this.#parts.report("ledger.round_failed", error, task.id);
    // The writes may have been done, so only the caller can retry.
    if (error instanceof Unreachable) this.#tools.fallback.answer(task, retryHeavyAfterSeconds);
    else task.refuse({ code: "internal" });
  }

  /**
   * Runs a round of other calls between two isolated calls. If such a round fails too, no round of this kind runs
   * during the recovery from that failure.
   */
  async #runRoundOfOthers(): Promise<void> {
    const { queue, outage, runRound } = this.#tools;
    if (this.#isInterrupted || outage.isOngoing || queue.size === 0) return;
    this.#isInterrupted = true;
    try {
      const round = await runRound();
      await round.done;
      if (round.fault !== undefined) await this.recover(round.fault, round);
    } finally {
      this.#isInterrupted = false;
    }
  }
}

const unsettled = (tasks: readonly Task[]): readonly Task[] => tasks.filter(({ isSettled }) => !isSettled);
