import type { Clock } from "./fenced-writer.ts";

/** After a maintenance that failed. */
const retryMs = 5_000;
/** After the start of an object. */
const startMs = 1_000;
/** An alarm that is this late was lost. */
const maxLateMs = 60_000;

/** The object's only alarm, which runs its maintenance. */
export class Alarm {
  readonly #storage: Pick<DurableObjectStorage, "setAlarm">;
  readonly #clock: Clock;
  readonly #report: (event: string, error: unknown) => void;
  /** The earliest time asked for since the alarm last rang (ms), and the time that it is set to. */
  #wanted = Number.POSITIVE_INFINITY;
  #at = Number.POSITIVE_INFINITY;

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
    return this.#set(this.#clock.now() + startMs);
  }

  /** Rings at `at` (ms), or earlier if it was set so. Never throws: if it can't be set, the next call sets it. */
  async arm(at: number): Promise<void> {
    try {
      await this.#set(at);
    } catch (error) {
      this.#report("ledger.alarm_failed", error);
    }
  }

  /** Throws only if the next alarm can't be set, which comes last, whatever happened before. */
  async ring(work: { maintain(): Promise<number | undefined> }): Promise<void> {
    this.#wanted = Number.POSITIVE_INFINITY;
    this.#at = Number.POSITIVE_INFINITY;
    let next: number | undefined = this.#clock.now() + retryMs;
    try {
      next = await work.maintain();
    } catch (error) {
      this.#report("ledger.upkeep_failed", error);
    }
    if (next !== undefined) await this.#set(next);
  }

  async #set(at: number): Promise<void> {
    this.#wanted = Math.min(this.#wanted, at);
    const isPending = this.#at > this.#clock.now() - maxLateMs;
    if (this.#at <= this.#wanted && isPending) return;
    this.#at = this.#wanted;
    try {
      await this.#storage.setAlarm(this.#at);
    } catch (error) {
      this.#at = Number.POSITIVE_INFINITY;
      throw error;
    }
  }
}
