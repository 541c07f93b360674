import type { ProblemCode } from "./reading.ts";

/** Values read from a row, by column. */
export type RowValues = Readonly<Record<string, string | boolean>>;

/** The reason why a row of the file isn't sent. */
export interface Problem {
  readonly line: number;
  readonly code: ProblemCode;
  readonly column: string;
  /** The cell's text in the file; empty if it has none. */
  readonly read: string;
  readonly expected: string;
  /** For a duplicate, the line that has the same value. */
  readonly otherLine?: number;
}

export function problemInWords({ line, column, code, read, expected, otherLine }: Problem): string {
  if (code === "duplicate") return `line ${line}, ${column}: "${read}" is already on line ${otherLine}`;
  return `line ${line}, ${column}: ${read === "" ? "nothing" : `"${read}"`}, expected ${expected}`;
}
