import { hourMs } from "../domain/calendar.ts";
import { updateKeyUse } from "../store/keys.ts";
import type { InternalWrite } from "./round.ts";

/** Per commit. */
const maxKeys = 500;

/**
 * Collects the use of program keys, to be written once per key and hour. Use that isn't written when the Ledger ends is
 * lost: no decision rests on it.
 */
export class KeyUse {
  readonly #report: (event: string, error: unknown) => void;
  #hour = 0;
  /** Keys whose use in this hour needs no further write. */
  readonly #written = new Set<number>();
  /** The hour of the last use, by key. */
  readonly #pending = new Map<number, number>();

  constructor(report: (event: string, error: unknown) => void) {
    this.#report = report;
  }

  get isPending(): boolean {
    return this.#pending.size > 0;
  }

  /** `at`: by the Ledger's clock (ms). */
  note(keyId: number, at: number): void {
    const hour = at - (at % hourMs);
    if (hour !== this.#hour) {
      this.#hour = hour;
      this.#written.clear();
    }
    if (!this.#written.has(keyId)) this.#pending.set(keyId, hour);
  }

  write(): InternalWrite {
    const hours = new Map([...this.#pending].slice(0, maxKeys));
    const markWritten = () => {
      for (const [keyId, hour] of hours) {
        if (this.#pending.get(keyId) === hour) this.#pending.delete(keyId);
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
