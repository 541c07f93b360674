import type { Clock } from "./writer.ts";

const retryAfterFailureMs = 5_000;
const startDelayMs = 1_000;
/** An alarm that hasn't rung this long (ms) after the instant for which it was set counts as lost. */
const maxLateMs = 60_000;

export class Alarm {
  readonly #storage: Pick<DurableObjectStorage, "setAlarm">;
  readonly #clock: Clock;
  readonly #report: (event: string, error: unknown) => void;
  #earliest = Number.POSITIVE_INFINITY;
  #setTo = Number.POSITIVE_INFINITY;

  constructor(
    storage: Pick<DurableObjectStorage, "setAlarm">,
    clock: Clock,
    report: (event: string, error: unknown) => void,
  ) {
    this.#storage = storage;
    this.#clock = clock;
    this.#report = report;
  }

  start(): Promise<void> {
    return this.#set(this.#clock.now() + startDelayMs);
  }

  /**
   * Sets the alarm to `at` (ms), unless it is already set to an earlier instant. Never throws: if the alarm can't be
   * set, the next call of `arm` sets it.
   */
  async arm(at: number): Promise<void> {
    try {
      await this.#set(at);
    } catch (error) {
      this.#report("ledger.alarm_failed", error);
    }
  }

  /** Runs the work and sets the next alarm. Throws only if the next alarm can't be set, which is the last step. */
  async ring(work: { maintain(): Promise<number | undefined> }): Promise<void> {
    this.#earliest = Number.POSITIVE_INFINITY;
    this.#setTo = Number.POSITIVE_INFINITY;
    let next: number | undefined = this.#clock.now() + retryAfterFailureMs;
    try {
      next = await work.maintain();
    } catch (error) {
      this.#report("ledger.upkeep_failed", error);
    }
    if (next !== undefined) await this.#set(next);
  }

  async #set(at: number): Promise<void> {
    this.#earliest = Math.min(this.#earliest, at);
    const isPending = this.#setTo > this.#clock.now() - maxLateMs;
    if (this.#setTo <= this.#earliest && isPending) return;
    this.#setTo = this.#earliest;
    try {
      await this.#storage.setAlarm(this.#setTo);
    } catch (error) {
      this.#setTo = Number.POSITIVE_INFINITY;
      throw error;
    }
  }
}
