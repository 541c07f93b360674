/** One set of books: a program's live events, or its test events. Nothing is ever shared between two books. */
export interface Book {
  readonly programId: number;
  readonly isTest: boolean;
}

/** A key that tells one book from every other; for maps and hashes, never for the wire. */
export const bookKey = (book: Book): string => `${book.programId}${book.isTest ? "t" : "l"}`;
