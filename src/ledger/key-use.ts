import { hourMs } from "#domain/calendar.ts";
import type { KeyId } from "#domain/ids.ts";
import type { Duty, DutyParts, InternalWrite, SubmitIsolated, Taking } from "#engine/duty.ts";
import { updateKeyUse } from "#store/keys.ts";

const maxKeysPerCommit = 500;

/**
 * Collects the hours in which program keys were used, and writes each key at most once per hour. A crash loses what
 * isn't written yet, which is harmless because no decision depends on it.
 */
export class KeyUse implements Duty {
  readonly name = "key use";
  readonly joinsRounds = true;
  readonly #parts: Pick<DutyParts, "clock" | "report" | "ringSoon">;
  isDue = false;
  #hour = 0;
  readonly #written = new Set<number>();
  readonly #pendingHours = new Map<number, number>();

  constructor(parts: Pick<DutyParts, "clock" | "report" | "ringSoon">) {
    this.#parts = parts;
  }

  get #isPending(): boolean {
    return this.#pendingHours.size > 0;
  }

  /** Records the use of a key. `at` is by the Ledger's clock (ms). */
  note(keyId: KeyId, at: number): void {
    const hour = at - (at % hourMs);
    if (hour !== this.#hour) {
      this.#hour = hour;
      this.#written.clear();
    }
    if (!this.#written.has(keyId)) this.#pendingHours.set(keyId, hour);
  }

  begin(): undefined {
    this.isDue = this.#isPending;
  }

  /**
   * Adds the use of keys to a round that has other writes. Without such a round, the next maintenance run writes it.
   */
  take({ isWriting }: Taking): InternalWrite | undefined {
    const isDue = isWriting || this.isDue;
    this.isDue = false;
    this.#dropAhead();
    if (!this.#isPending) return undefined;
    if (isDue) {
      const { write, ...outcomes } = this.#write();
      return { writes: [write], ...outcomes };
    }
    this.#parts.ringSoon();
    return undefined;
  }

  async isolate(submit: SubmitIsolated): Promise<boolean> {
    this.#dropAhead();
    if (!this.#isPending) return true;
    const { write, onCommitted, onRefused } = this.#write();
    const outcome = await submit("key use", () => [write]);
    if (outcome === "done") onCommitted();
    if (outcome === "refused") onRefused();
    return outcome === "done" || outcome === "refused";
  }

  /** Drops hours that were recorded before the clock was set back. */
  #dropAhead(): void {
    const now = this.#parts.clock.now();
    for (const [keyId, hour] of this.#pendingHours) if (hour > now) this.#pendingHours.delete(keyId);
  }

  #write() {
    const hours = new Map([...this.#pendingHours].slice(0, maxKeysPerCommit));
    const markWritten = () => {
      for (const [keyId, hour] of hours) {
        if (this.#pendingHours.get(keyId) === hour) this.#pendingHours.delete(keyId);
        if (hour === this.#hour) this.#written.add(keyId);
      }
    };
    return {
      write: updateKeyUse(hours),
      onCommitted: markWritten,
      onRefused: () => {
        markWritten();
        const error = new Error("the database refused to store the use of keys");
        this.#parts.report("ledger.key_use_refused", error);
      },
    };
  }
}
