import { hourMs } from "../domain/calendar.ts";
import { updateKeyUse } from "../store/keys.ts";
import type { InternalWrite } from "./round.ts";

/** The rest goes with the next commit. */
const maxKeysAtOnce = 500;

/**
 * Remembers which program keys were used, and has that written once per key and hour. What isn't written yet when the
 * Ledger ends is lost: nothing is decided by it.
 */
export class KeyUse {
  readonly #report: (event: string, error: unknown) => void;
  #hour = 0;
  /** Keys whose use in this hour needs no further write. */
  readonly #settled = new Set<number>();
  /** The hour of the last use, by key. */
  readonly #pending = new Map<number, number>();

  constructor(report: (event: string, error: unknown) => void) {
    this.#report = report;
  }

  get isPending(): boolean {
    return this.#pending.size > 0;
  }

  /** Notes that a key was used at an instant (ms) by the Ledger's own clock. */
  note(keyId: number, at: number): void {
    const hour = at - (at % hourMs);
    if (hour !== this.#hour) {
      this.#hour = hour;
      this.#settled.clear();
    }
    if (!this.#settled.has(keyId)) this.#pending.set(keyId, hour);
  }

  /** The writing of what is pending. */
  chore(): InternalWrite {
    const hours = new Map([...this.#pending].slice(0, maxKeysAtOnce));
    const settle = () => {
      for (const [keyId, hour] of hours) {
        if (this.#pending.get(keyId) === hour) this.#pending.delete(keyId);
        if (hour === this.#hour) this.#settled.add(keyId);
      }
    };
    return {
      writes: [updateKeyUse(hours)],
      done: settle,
      refused: () => {
        settle();
        this.#report("ledger.key_use_refused", new Error("the database refuses to store when keys were used"));
      },
    };
  }
}
