import { maxAheadMs } from "./clock-fault.ts";

export interface ClockReport {
  /** By the clock (ms). */
  readonly at: number;
  /** Since the machine started, asleep or not (ms), which setting the clock doesn't change. */
  readonly uptimeMs: number;
}

/** Tells a clock that was set ahead while the machine ran from a machine that slept. Reports come every few seconds. */
export class MachineClock {
  #startedAt: number | undefined;
  #last: ClockReport | undefined;
  #isSuspended = false;

  take(report: ClockReport): void {
    if (this.#isSuspended) return;
    this.#startedAt ??= report.at - report.uptimeMs;
    this.#last = report;
  }

  /** While something else tells that the clock is wrong, setting it is no fault. */
  suspend(): void {
    this.#isSuspended = true;
    this.#startedAt = undefined;
    this.#last = undefined;
  }

  resume(): void {
    this.#isSuspended = false;
  }

  fault(now: number): string | undefined {
    const { at, uptimeMs } = this.#last ?? { at: now, uptimeMs: 0 };
    const shown = `the clock shows ${new Date(now).toISOString()}`;
    const aheadMs = at - uptimeMs - (this.#startedAt ?? at - uptimeMs);
    if (aheadMs > maxAheadMs) return `${shown}, and was set ahead by ${Math.round(aheadMs / 3_600_000)} hours`;
    // Until the next report tells how long it really was.
    return aheadMs + now - at > maxAheadMs
      ? `${shown}, and a few seconds ago ${new Date(at).toISOString()}`
      : undefined;
  }
}
