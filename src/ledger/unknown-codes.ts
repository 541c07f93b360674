import { type Book, bookKey } from "#domain/book.ts";
import { maxUnknownCodeLength, maxUnknownCodes } from "#domain/unknown-codes.ts";
import type { Duty, DutyParts, InternalWrite, SubmitIsolated } from "#engine/duty.ts";
import { countUnknownCodes, type UnknownCodeRow } from "#store/unknown-codes.ts";

const pauseMs = 60_000;
/** The most codes that are counted at a time, for all programs together. Anyone can invent codes. */
const maxPending = 1_000;

/**
 * Counts visits with codes that no partner has, and writes the counts at most once a minute. A crash loses counts that
 * aren't written yet, which is harmless because no decision depends on them.
 */
export class UnknownCodes implements Duty {
  readonly name = "unknown codes";
  readonly #parts: DutyParts;
  isDue = false;
  #dueAt = 0;
  #pending = 0;
  /** Counts by book and day, then by code. */
  readonly #days = new Map<string, Map<string, UnknownCodeRow>>();
  /** Counts that were sent with a round whose outcome isn't known yet. After a minute, the round is certainly over. */
  #taken: readonly UnknownCodeRow[] = [];

  constructor(parts: DutyParts) {
    this.#parts = parts;
  }

  /** `day` is "YYYY-MM-DD". */
  count(book: Book, day: string, codeKey: string): void {
    const code = codeKey.normalize("NFC");
    if (code.length > maxUnknownCodeLength) return;
    const ofDay = `${bookKey(book)} ${day}`;
    const codes = this.#days.get(ofDay) ?? new Map<string, UnknownCodeRow>();
    const counted = codes.get(code);
    if (counted === undefined) {
      if (this.#pending >= maxPending || codes.size >= maxUnknownCodes) return;
      if (this.#pending === 0) this.#parts.ringSoon();
      this.#pending += 1;
      this.#days.set(ofDay, codes);
    }
    const { programId, isTest } = book;
    codes.set(code, { programId, isTest, day, code, landings: (counted?.landings ?? 0) + 1 });
  }

  begin(): number | undefined {
    if (this.#pending === 0 && this.#taken.length === 0) return undefined;
    const wait = this.#dueAt - this.#parts.clock.now();
    // If the clock was set back, the wait is longer than the pause, and the counts are due now.
    this.isDue = wait <= 0 || wait > pauseMs;
    return this.isDue ? undefined : this.#dueAt;
  }

  take(): InternalWrite {
    this.isDue = false;
    this.#dueAt = this.#parts.clock.now() + pauseMs;
    const counted = [...this.#days.values()].flatMap((codes) => [...codes.values()]);
    this.#taken = [...this.#taken, ...counted].slice(0, maxPending);
    this.#days.clear();
    this.#pending = 0;
    return { writes: [countUnknownCodes(this.#taken)], ...this.#outcomes };
  }

  async isolate(submit: SubmitIsolated): Promise<boolean> {
    if (this.#taken.length === 0) return true;
    const outcome = await submit("unknown codes", () => [countUnknownCodes(this.#taken)]);
    if (outcome === "done") this.#outcomes.onCommitted();
    if (outcome === "refused") this.#outcomes.onRefused();
    return outcome === "done" || outcome === "refused";
  }

  readonly #outcomes = {
    onCommitted: () => {
      this.#taken = [];
    },
    onRefused: () => {
      this.#taken = [];
      this.#parts.report("ledger.unknown_codes_refused", new Error("the database refused the counts of unknown codes"));
    },
  };
}
