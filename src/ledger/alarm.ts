import type { Clock } from "./fenced-writer.ts";

/** When an upkeep failed, and when an object has just started. */
const soonMs = 5_000;
const startMs = 1_000;
/** An alarm this late does not ring any more. */
const maxLateMs = 60_000;

/** The object's one alarm: rings when the next thing is due. */
export class Alarm {
  readonly #storage: Pick<DurableObjectStorage, "setAlarm">;
  readonly #clock: Clock;
  readonly #report: (event: string, error: unknown) => void;
  /** The earliest that was asked for since it last rang, and what it is set to. */
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

  /** The object has started, and rings soon. */
  start(): Promise<void> {
    return this.#set(this.#clock.now() + startMs);
  }

  /** Rings at `at` (ms), or earlier if it was set so. Never throws: where it can't be set, the next call sets it. */
  async arm(at: number): Promise<void> {
    try {
      await this.#set(at);
    } catch (error) {
      this.#report("ledger.alarm_failed", error);
    }
  }

  /** Does what is due. Throws only where the next alarm can't be set, which comes last, whatever happened before. */
  async ring(work: { upkeep(): Promise<number | undefined> }): Promise<void> {
    this.#wanted = Number.POSITIVE_INFINITY;
    this.#at = Number.POSITIVE_INFINITY;
    let next: number | undefined = this.#clock.now() + soonMs;
    try {
      next = await work.upkeep();
    } catch (error) {
      this.#report("ledger.upkeep_failed", error);
    }
    if (next !== undefined) await this.#set(next);
  }

  async #set(at: number): Promise<void> {
    this.#wanted = Math.min(this.#wanted, at);
    const isToCome = this.#at > this.#clock.now() - maxLateMs;
    if (this.#at <= this.#wanted && isToCome) return;
    this.#at = this.#wanted;
    try {
      await this.#storage.setAlarm(this.#at);
    } catch (error) {
      this.#at = Number.POSITIVE_INFINITY;
      throw error;
    }
  }
}
