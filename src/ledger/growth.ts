import { dateUtc, dayMs } from "#domain/calendar.ts";
import { type GrowthLimits, growthPerDay, smallChangeBytes } from "#domain/growth.ts";
import type { ProgramId } from "#domain/ids.ts";
import type { Refusal } from "#domain/refusal.ts";

const maxCounted = 40_000;
/** Key for the programs and authors beyond the limit. */
const others = "others";

export interface Growing {
  readonly programId: ProgramId;
  /** The user, or undefined for a key. */
  readonly actorId: string | undefined;
  /** Size of all values that it writes. */
  readonly bytes: number;
  readonly at: number;
}

/** Counts what changes by people and keys write on a UTC day, in memory: a new instance starts over. */
export class Growth {
  readonly #limits: GrowthLimits;
  readonly #bytes = new Map<string, number>();
  #day = "";

  constructor(limits: GrowthLimits = growthPerDay) {
    this.#limits = limits;
  }

  /** Counts a change, unless it is refused: a large one, for which its program or its author has no room left today. */
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

  /** A call that arrives just after midnight may be of the day before. */
  #begin(day: string): void {
    if (day <= this.#day) return;
    this.#day = day;
    this.#bytes.clear();
  }
}
