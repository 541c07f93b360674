import type { Fallback } from "./fallback.ts";
import type { LoopParts } from "./parts.ts";
import type { Task } from "./task.ts";
import { ClockWrong, Unable, Unreachable } from "./writer.ts";

/** The database is available if it answers a probe within this time. */
export const probeTimeoutMs = 1_000;
const probePauseMs = 250;
export const maintenancePauseMs = 5_000;

/**
 * A period in which the database is unavailable or the clock is wrong. Calls are answered immediately, and probes check
 * whether the period is over.
 */
export class Outage {
  readonly #parts: LoopParts;
  readonly #fallback: Fallback;
  readonly #onEnd: () => void;
  #isOngoing = false;
  #isClockWrong = false;
  #probing: Promise<boolean> | undefined;
  #probedAt = 0;

  constructor(parts: LoopParts, fallback: Fallback, onEnd: () => void) {
    this.#parts = parts;
    this.#fallback = fallback;
    this.#onEnd = onEnd;
  }

  get isOngoing(): boolean {
    return this.#isOngoing;
  }

  get isClockWrong(): boolean {
    return this.#isClockWrong;
  }

  begin(error: unknown, tasks: readonly Task[]): void {
    const { clock, alarm, outages } = this.#parts;
    this.#isOngoing = true;
    this.#probedAt = clock.now();
    if (error instanceof ClockWrong) this.#noteWrongClock(error);
    else outages.begin(error);
    this.#fallback.answerAll(tasks);
    void alarm.arm(clock.now() + maintenancePauseMs);
  }

  /** While the clock is wrong, clicks aren't stored, because they would have the wrong instant. */
  #noteWrongClock(error: ClockWrong): void {
    if (this.#isClockWrong) return;
    this.#isClockWrong = true;
    this.#fallback.mayKeep = false;
    this.#parts.report("ledger.clock_wrong", error);
  }

  /**
   * True if an outage is the cause of the error. False if the database answers a probe in time: the failed request was
   * then too large for it.
   */
  async explains(error: unknown): Promise<boolean> {
    if (!(error instanceof Unreachable)) return false;
    if (error instanceof Unable || error instanceof ClockWrong) return true;
    const { clock } = this.#parts;
    return !(await Promise.race([this.probe(), clock.sleep(probeTimeoutMs).then(() => false)]));
  }

  probeIfDue(): void {
    // The absolute difference is used, so that a clock that was set back doesn't delay the probe.
    if (Math.abs(this.#parts.clock.now() - this.#probedAt) >= probePauseMs) void this.probe();
  }

  probe(): Promise<boolean> {
    this.#probing ??= this.#parts
      .claim(0)
      .then(() => {
        this.#isOngoing = false;
        this.#isClockWrong = false;
        this.#fallback.mayKeep = true;
        this.#onEnd();
        return true;
      })
      .catch((error: unknown) => {
        if (error instanceof ClockWrong) this.#noteWrongClock(error);
        else if (!(error instanceof Unreachable)) this.#parts.report("ledger.probe_failed", error);
        return false;
      })
      .finally(() => {
        this.#probedAt = this.#parts.clock.now();
        this.#probing = undefined;
      });
    return this.#probing;
  }
}
