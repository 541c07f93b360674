import { maxAheadMs } from "./clock-fault.ts";

export interface ClockReport {
  /** The time that the clock shows (ms). */
  readonly at: number;
  /** Time since the machine started, including sleep (ms). Setting the clock doesn't change it. */
  readonly uptimeMs: number;
}

/**
 * Detects that the clock was set ahead, and doesn't mistake the machine's sleep for that. Reports arrive every few
 * seconds.
 */
export class MachineClock {
  #startedAt: number | undefined;
  #last: ClockReport | undefined;
  #isSuspended = false;

  take(report: ClockReport): void {
    if (this.#isSuspended) return;
    this.#startedAt ??= report.at - report.uptimeMs;
    this.#last = report;
  }

  /**
   * Ignores reports while another source shows that the clock is wrong, because setting the clock is then a correction.
   */
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
    // The clock may have been set since the last report.
    return aheadMs + now - at > maxAheadMs
      ? `${shown}, and a few seconds ago ${new Date(at).toISOString()}`
      : undefined;
  }
}
