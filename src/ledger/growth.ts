import { dateUtc, dayMs } from "#domain/calendar.ts";
import { type GrowthLimits, growthPerDay, smallChangeBytes } from "#domain/growth.ts";
import type { ProgramId } from "#domain/ids.ts";
import type { Refusal } from "#domain/refusal.ts";

const maxCounted = 40_000;
/** The key of the shared count for all programs and authors that don't fit into the map. */
const others = "others";

export interface Growing {
  readonly programId: ProgramId;
  /** The user, or the actor of a referral page. Undefined for a change made with a key. */
  readonly actorId: string | undefined;
  /** The size of all values that the change writes. */
  readonly bytes: number;
  readonly at: number;
}

/**
 * Counts the bytes that changes by members and keys write in a UTC day. The counts are in memory, so a new instance
 * starts at 0.
 */
export class Growth {
  readonly #limits: GrowthLimits;
  readonly #bytes = new Map<string, number>();
  #day = "";

  constructor(limits: GrowthLimits = growthPerDay) {
    this.#limits = limits;
  }

  /**
   * Counts a change. A change of more than `smallChangeBytes` is refused instead if its program or its author would
   * exceed the daily limit.
   */
  refusalOf({ programId, actorId, bytes, at }: Growing): Refusal | undefined {
    this.#begin(dateUtc(at));
    const { ofProgram, ofAuthor } = this.#limits;
    const counts = [
      { key: this.#keyOf(`program ${programId}`), max: ofProgram },
      ...(actorId === undefined ? [] : [{ key: this.#keyOf(`author ${actorId}`), max: ofAuthor }]),
    ];
    const isFull = counts.some(({ key, max }) => this.#bytesOf(key) + bytes > max);
    if (isFull && bytes > smallChangeBytes) {
      return { code: "rate_limited", retryAfterSeconds: Math.ceil((dayMs - (at % dayMs)) / 1_000) };
    }
    for (const { key } of counts) this.#bytes.set(key, this.#bytesOf(key) + bytes);
    return undefined;
  }

  #bytesOf(key: string): number {
    return this.#bytes.get(key) ?? 0;
  }

  #keyOf(own: string): string {
    return this.#bytes.has(own) || this.#bytes.size < maxCounted ? own : others;
  }

  /** Starts the counts of a new day. A call from before midnight may arrive after it, and doesn't reset the counts. */
  #begin(day: string): void {
    if (day <= this.#day) return;
    this.#day = day;
    this.#bytes.clear();
  }
}
