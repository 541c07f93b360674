import { maxAheadMs } from "./clock-fault.ts";

export interface ClockReport {
  /** The clock's time (ms). */
  readonly at: number;
  /** Since the machine started, including sleep (ms). Setting the clock doesn't change it. */
  readonly uptimeMs: number;
}

/** Distinguishes a clock that was set ahead from a machine that slept. Reports come every few seconds. */
export class MachineClock {
  #startedAt: number | undefined;
  #last: ClockReport | undefined;
  #isSuspended = false;

  take(report: ClockReport): void {
    if (this.#isSuspended) return;
    this.#startedAt ??= report.at - report.uptimeMs;
    this.#last = report;
  }

  /** While another source reports a wrong clock, setting it is no fault. */
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
    // Until the next report gives the actual time.
    return aheadMs + now - at > maxAheadMs
      ? `${shown}, and a few seconds ago ${new Date(at).toISOString()}`
      : undefined;
  }
}
