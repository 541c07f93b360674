export interface OutageReports {
  onBegin(error: unknown): void;
  onEnd(): void;
}

/**
 * Reports the beginning and the end of a database outage only once each. All instances of a Ledger share this object,
 * because a failure of the disk also ends instances.
 */
export class OutageLog {
  readonly #reports: OutageReports;
  #isOngoing = false;

  constructor(reports: OutageReports) {
    this.#reports = reports;
  }

  get isOngoing(): boolean {
    return this.#isOngoing;
  }

  begin(error: unknown): void {
    if (this.#isOngoing) return;
    this.#isOngoing = true;
    this.#reports.onBegin(error);
  }

  /** Called after each successful write. */
  end(): void {
    if (!this.#isOngoing) return;
    this.#isOngoing = false;
    this.#reports.onEnd();
  }
}
