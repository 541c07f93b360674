import { type Book, bookKey } from "#domain/book.ts";
import { dateUtc } from "#domain/calendar.ts";

const maxBooks = 20_000;
/** Key of all further books. */
const others = "others";

/** Counts the calls without a key of each book and UTC day, in memory: a new instance starts over. */
export class UnsignedEvents {
  readonly #perDay: number;
  readonly #maxBooks: number;
  readonly #counts = new Map<string, number>();
  #day = "";

  constructor(perDay: number, books = maxBooks) {
    this.#perDay = perDay;
    this.#maxBooks = books;
  }

  /** Counts one call. False if it exceeds the day's volume. */
  count(book: Book, at: number): boolean {
    this.#begin(dateUtc(at));
    const own = bookKey(book);
    const key = this.#counts.has(own) || this.#counts.size < this.#maxBooks ? own : others;
    const count = (this.#counts.get(key) ?? 0) + 1;
    this.#counts.set(key, count);
    return count <= this.#perDay;
  }

  /** A call that arrives just after midnight may be of the day before. */
  #begin(day: string): void {
    if (day <= this.#day) return;
    this.#day = day;
    this.#counts.clear();
  }
}
