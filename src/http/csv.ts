/**
 * Characters that start a formula in a spreadsheet, wherever it may see a cell begin: also after a separator or a line
 * break inside a cell, because a spreadsheet with another separator than the comma reads our quotes differently.
 * https://owasp.org/www-community/attacks/CSV_Injection
 */
const formulas = /(?<=^|[;\t\r\n])(?=[" ]*'*[=+\-@＝＋－＠\t\r])/g;

/** Digits with a sign and a point, such as "-9.80". */
export interface Decimal {
  readonly decimal: string;
}

/** A number stays as it is: a spreadsheet can only calculate with it. */
export type CsvCell = string | number | Decimal | boolean | null;

function cell(value: CsvCell): string {
  if (typeof value === "number") return `"${value}"`;
  if (typeof value === "object" && value !== null) return `"${value.decimal}"`;
  return `"${String(value ?? "")
    .replace(formulas, "'")
    .replaceAll('"', '""')}"`;
}

/** One line of RFC 4180 with its line break. No text begins like a formula. */
export const csvLine = (cells: readonly CsvCell[]): string => `${cells.map(cell).join(",")}\r\n`;
