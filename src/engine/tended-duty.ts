import type { Duty, InternalWrite, Look, SubmitIsolated, Taking } from "./duty.ts";
import type { LoopParts } from "./parts.ts";
import type { Task } from "./task.ts";

/** The number of times in a row that a duty may return unchanged work. */
const maxIdleTakes = 5;
const pauseMs = 5_000;
const maxPauseMs = 600_000;

export type TendedParts = Pick<LoopParts, "clock" | "alarm" | "report">;

/**
 * Wraps a duty so that its faults affect neither calls nor other duties. If the duty throws, or stays due without doing
 * anything, it is paused. Each further pause is longer. If only its `run` fails, `run` is repeated after a short pause.
 */
export class TendedDuty implements Duty {
  readonly name: string;
  readonly #duty: Duty;
  readonly #parts: TendedParts;
  #restsUntil = 0;
  #rests = 0;
  #idleTakes = 0;
  #lastMark: string | undefined;

  constructor(duty: Duty, parts: TendedParts) {
    this.name = duty.name;
    this.#duty = duty;
    this.#parts = parts;
  }

  get #isResting(): boolean {
    const left = this.#restsUntil - this.#parts.clock.now();
    // If the clock was set back, the remaining pause seems longer than the maximum. The pause then ends.
    return left > 0 && left <= maxPauseMs;
  }

  begin(): number | undefined {
    this.#idleTakes = 0;
    return this.#guarded(() => this.#duty.begin?.());
  }

  look(): Look | undefined {
    const look = this.#guarded(() => this.#duty.look?.());
    return look && { read: look.read, found: (rows) => this.#guarded(() => look.found(rows)) };
  }

  get isDue(): boolean {
    return this.#guarded(() => this.#duty.isDue) ?? false;
  }

  take(taking: Taking): InternalWrite | undefined {
    const { isDue } = this;
    if (!isDue && this.#duty.joinsRounds === undefined) return undefined;
    const taken = this.#guarded(() => this.#duty.take?.(taking));
    if (isDue) this.#judge(taken?.mark);
    if (taken === undefined || this.#isResting) return undefined;
    return {
      ...taken,
      onCommitted: () => this.#tried(() => taken.onCommitted()),
      onRefused: (write) => this.#tried(() => taken.onRefused(write)),
    };
  }

  async isolate(submit: SubmitIsolated): Promise<boolean> {
    if (this.#isResting) return true;
    try {
      return (await this.#duty.isolate?.(submit)) ?? true;
    } catch (error) {
      this.#rest(error);
      return true;
    }
  }

  async run(submit: (task: Task) => void): Promise<number | undefined> {
    if (this.#isResting) return this.#restsUntil;
    try {
      return await this.#duty.run?.(submit);
    } catch (error) {
      this.#parts.report("ledger.duty_failed", error, this.name);
      return this.#parts.clock.now() + pauseMs;
    }
  }

  get nextAt(): number | undefined {
    return this.#isResting ? this.#restsUntil : this.#guarded(() => this.#duty.nextAt);
  }

  #guarded<T>(does: () => T): T | undefined {
    return this.#isResting ? undefined : this.#tried(does);
  }

  #tried<T>(does: () => T): T | undefined {
    try {
      return does();
    } catch (error) {
      this.#rest(error);
      return undefined;
    }
  }

  #judge(mark: string | undefined): void {
    const isIdle = mark === undefined || mark === this.#lastMark;
    this.#idleTakes = isIdle ? this.#idleTakes + 1 : 0;
    this.#lastMark = mark;
    if (this.#idleTakes > maxIdleTakes) this.#rest(new Error("the duty stays due without doing anything"));
  }

  #rest(error: unknown): void {
    const { clock, alarm, report } = this.#parts;
    const now = clock.now();
    this.#rests = now - this.#restsUntil > maxPauseMs ? 0 : this.#rests + 1;
    this.#restsUntil = now + Math.min(maxPauseMs, pauseMs * 2 ** this.#rests);
    this.#idleTakes = 0;
    report("ledger.duty_failed", error, this.name);
    void alarm.arm(this.#restsUntil);
  }
}
