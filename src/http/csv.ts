/**
 * What a spreadsheet runs as a formula, wherever it may see a cell begin: also behind a separator or a line break inside
 * a cell, because one whose separator isn't the comma doesn't see our quotes as we do.
 * https://owasp.org/www-community/attacks/CSV_Injection
 */
const formulas = /(?<=^|[;\t\r\n])(?=[" ]*[=+\-@＝＋－＠\t\r])/g;

const cell = (text: string): string => `"${text.replace(formulas, "'").replaceAll('"', '""')}"`;

/** One line of RFC 4180, with its end. Every cell is quoted, and none begins like a formula. */
export const csvLine = (cells: readonly string[]): string => `${cells.map(cell).join(",")}\r\n`;
