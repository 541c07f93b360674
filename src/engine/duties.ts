import type { InternalWrite, IsolatedOutcome, SubmitIsolated } from "./duty.ts";
import type { LoopParts } from "./parts.ts";

/** The number of maintenance runs in which a write may stay unanswered. After that, it is treated as refused. */
const maxUnanswered = 3;
const pauseMs = 5_000;
const maxPauseMs = 600_000;
const shareGrowth = 0.05;

/** The earliest of these instants (ms). Infinity if there is none. */
export const earliest = (times: readonly (number | undefined)[]): number =>
  Math.min(...times.map((at) => at ?? Number.POSITIVE_INFINITY));

/**
 * Collects the writes of duties (background work), which are committed together with those of a round's calls. If the
 * round fails, these writes are left out of the next rounds, so that they make no further call fail. They are sent one
 * by one, and a write that fails alone is set aside.
 */
export class Duties {
  readonly #parts: Pick<LoopParts, "duties" | "clock" | "alarm" | "report">;
  #isPostponed = false;
  #postponedUntil = 0;
  #failedRounds = 0;
  #share = 1;
  readonly #unanswered = new Map<string, number>();

  constructor(parts: Pick<LoopParts, "duties" | "clock" | "alarm" | "report">) {
    this.#parts = parts;
  }

  get isDue(): boolean {
    return !this.#isPostponed && this.#parts.duties.some(({ isDue }) => isDue);
  }

  get nextAt(): number {
    return this.#isPostponed ? this.#postponedUntil : earliest(this.#parts.duties.map(({ nextAt }) => nextAt));
  }

  take(isRoundWriting: boolean): readonly InternalWrite[] {
    if (this.#isPostponed) return [];
    const writes: InternalWrite[] = [];
    const postpone = (error: unknown) => this.postpone(error);
    for (const duty of this.#parts.duties) {
      const isWriting = isRoundWriting || writes.length > 0;
      const write = duty.take?.({ share: this.#share, isWriting, postpone });
      if (write !== undefined) writes.push(write);
    }
    return writes;
  }

  onRoundCommitted(): void {
    this.#failedRounds = 0;
    this.#share = Math.min(1, this.#share + shareGrowth);
  }

  postpone(error: unknown): void {
    const pause = Math.min(maxPauseMs, pauseMs * 2 ** this.#failedRounds);
    this.#failedRounds += 1;
    this.#share /= 2;
    this.#postponeFor(pause);
    this.#parts.report("ledger.duties_postponed", error);
  }

  async retryPostponed(submit: SubmitIsolated): Promise<void> {
    if (!this.#isPostponed || this.#parts.clock.now() < this.#postponedUntil) return;
    const submitCounted: SubmitIsolated = async (id, writesOf) => this.#countUnanswered(id, await submit(id, writesOf));
    if (!(await this.#isolateAll(submitCounted))) return this.#postponeFor(pauseMs);
    this.#isPostponed = false;
    this.#unanswered.clear();
  }

  async #isolateAll(submit: SubmitIsolated): Promise<boolean> {
    for (const duty of this.#parts.duties) if ((await duty.isolate?.(submit)) === false) return false;
    return true;
  }

  #countUnanswered(id: string, outcome: IsolatedOutcome): IsolatedOutcome {
    const times = (this.#unanswered.get(id) ?? 0) + 1;
    this.#unanswered.delete(id);
    if (outcome !== "unanswered") return outcome;
    if (times >= maxUnanswered) return "refused";
    this.#unanswered.set(id, times);
    return outcome;
  }

  #postponeFor(pause: number): void {
    this.#isPostponed = true;
    this.#postponedUntil = this.#parts.clock.now() + pause;
    void this.#parts.alarm.arm(this.#postponedUntil);
  }
}
