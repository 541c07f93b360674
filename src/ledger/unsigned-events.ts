import { type Book, bookKey } from "#domain/book.ts";
import { dateUtc } from "#domain/calendar.ts";

const maxBooks = 20_000;
/** The key of the shared count for all books that don't fit into the map. */
const others = "others";

/** Counts calls without a key for each book and UTC day. The counts are in memory, so a new instance starts at 0. */
export class UnsignedEvents {
  readonly #perDay: number;
  readonly #maxBooks: number;
  readonly #counts = new Map<string, number>();
  #day = "";

  constructor(perDay: number, books = maxBooks) {
    this.#perDay = perDay;
    this.#maxBooks = books;
  }

  /** Counts one call. Returns false once the daily limit is exceeded. */
  count(book: Book, at: number): boolean {
    this.#begin(dateUtc(at));
    const own = bookKey(book);
    const key = this.#counts.has(own) || this.#counts.size < this.#maxBooks ? own : others;
    const count = (this.#counts.get(key) ?? 0) + 1;
    this.#counts.set(key, count);
    return count <= this.#perDay;
  }

  /** Starts the counts of a new day. A call from before midnight may arrive after it, and doesn't reset the counts. */
  #begin(day: string): void {
    if (day <= this.#day) return;
    this.#day = day;
    this.#counts.clear();
  }
}
