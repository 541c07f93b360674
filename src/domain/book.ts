import type { ProgramId } from "./ids.ts";
/** Selects a program's live events or its test events. The two books share no data. */
export interface Book {
  readonly programId: ProgramId;
  readonly isTest: boolean;
}

/** A key for a book in maps and hashes. It is never sent to anyone. */
export const bookKey = (book: Book): string => `${book.programId}${book.isTest ? "t" : "l"}`;
