/**
 * Characters that start a formula in a spreadsheet, wherever it may see a cell begin: also after a separator or a line
 * break inside a cell, because a spreadsheet with another separator than the comma reads our quotes differently.
 * https://owasp.org/www-community/attacks/CSV_Injection
 */
const formulas = /(?<=^|[;\t\r\n])(?=[" ]*[=+\-@＝＋－＠\t\r])/g;

const cell = (text: string): string => `"${text.replace(formulas, "'").replaceAll('"', '""')}"`;

/** One line of RFC 4180 with its line break. No cell begins like a formula. */
export const csvLine = (cells: readonly string[]): string => `${cells.map(cell).join(",")}\r\n`;
