import { hourMs } from "../domain/calendar.ts";
import type { InternalWrite } from "../engine/round.ts";
import { updateKeyUse } from "../store/keys.ts";

const maxKeysPerCommit = 500;

/**
 * Collects the use of program keys, to be written once per key and hour. Use that isn't written when the Ledger ends is
 * lost: no decision rests on it.
 */
export class KeyUse {
  readonly #report: (event: string, error: unknown) => void;
  #hour = 0;
  readonly #written = new Set<number>();
  readonly #pendingHours = new Map<number, number>();

  constructor(report: (event: string, error: unknown) => void) {
    this.#report = report;
  }

  get isPending(): boolean {
    return this.#pendingHours.size > 0;
  }

  /** `at`: by the Ledger's clock (ms). */
  note(keyId: number, at: number): void {
    const hour = at - (at % hourMs);
    if (hour !== this.#hour) {
      this.#hour = hour;
      this.#written.clear();
    }
    if (!this.#written.has(keyId)) this.#pendingHours.set(keyId, hour);
  }

  write(): InternalWrite {
    const hours = new Map([...this.#pendingHours].slice(0, maxKeysPerCommit));
    const markWritten = () => {
      for (const [keyId, hour] of hours) {
        if (this.#pendingHours.get(keyId) === hour) this.#pendingHours.delete(keyId);
        if (hour === this.#hour) this.#written.add(keyId);
      }
    };
    return {
      writes: [updateKeyUse(hours)],
      onCommitted: markWritten,
      onRefused: () => {
        markWritten();
        this.#report("ledger.key_use_refused", new Error("the database refuses to store when keys were used"));
      },
    };
  }
}
