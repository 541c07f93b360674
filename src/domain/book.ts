import type { ProgramId } from "./ids.ts";
/** A program's live events, or its test events. Two books never share anything. */
export interface Book {
  readonly programId: ProgramId;
  readonly isTest: boolean;
}

/** A key for a book in maps and hashes, never sent to anyone. */
export const bookKey = (book: Book): string => `${book.programId}${book.isTest ? "t" : "l"}`;
