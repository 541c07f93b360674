/**
 * Finds characters that start a formula in a spreadsheet. They count at the start of a cell, and also after a separator
 * or line break within it: a spreadsheet that expects another separator may begin a cell there. See
 * https://owasp.org/www-community/attacks/CSV_Injection
 */
const formulas = /(?<=^|[;\t\r\n])(?=[" ]*'*[=+\-@＝＋－＠\t\r])/g;

/** A number as text, with sign and decimal point, such as "-9.80". */
export interface Decimal {
  readonly decimal: string;
}

/** Numbers aren't escaped, because a spreadsheet can only calculate with them. */
export type CsvCell = string | number | Decimal | boolean | null;

function cell(value: CsvCell): string {
  if (typeof value === "number") return `"${value}"`;
  if (typeof value === "object" && value !== null) return `"${value.decimal}"`;
  return `"${String(value ?? "")
    .replace(formulas, "'")
    .replaceAll('"', '""')}"`;
}

/** One line as in RFC 4180, with its line break. Texts are escaped so that none begins like a formula. */
export const csvLine = (cells: readonly CsvCell[]): string => `${cells.map(cell).join(",")}\r\n`;
