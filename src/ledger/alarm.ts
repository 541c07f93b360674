import type { Clock } from "./fence.ts";

/** When an upkeep failed, and when an object has just started. */
const soonMs = 5_000;
const startMs = 1_000;

/** The object's one alarm: rings when the next thing is due. */
export class Alarm {
  readonly #storage: Pick<DurableObjectStorage, "setAlarm">;
  readonly #clock: Clock;
  readonly #report: (event: string, error: unknown) => void;
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

  /** Rings at `at` (ms), or earlier if it was set so. */
  async arm(at = this.#clock.now() + startMs): Promise<void> {
    if (at >= this.#at) return;
    this.#at = at;
    await this.#storage.setAlarm(at);
  }

  /** Does what is due. Never throws: the next alarm is set last, whatever happened before. */
  async ring(work: { upkeep(): Promise<number | undefined> }): Promise<void> {
    this.#at = Number.POSITIVE_INFINITY;
    let next: number | undefined = this.#clock.now() + soonMs;
    try {
      next = await work.upkeep();
    } catch (error) {
      this.#report("ledger.upkeep_failed", error);
    }
    if (next !== undefined) await this.arm(next);
  }
}
