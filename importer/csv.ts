/**
 * Characters that start a formula in a spreadsheet, wherever the spreadsheet may see the start of a cell: also after a
 * separator or a line break inside a cell. The service's own CSV files are guarded in the same way.
 * https://owasp.org/www-community/attacks/CSV_Injection
 */
const formulas = /(?<=^|[;\t\r\n])(?=[" ]*'*[=+\-@＝＋－＠\t\r])/g;
const guarded = /(?<=^|[;\t\r\n])'(?=[" ]*'*[=+\-@＝＋－＠\t\r])/g;

/** Matches numbers, which need no guard even if they begin with + or -: a spreadsheet can only calculate with them. */
const isNumber = /^[+-]?\d+(?:[.,]\d+)*$/;

const cell = (text: string): string =>
  `"${(isNumber.test(text) ? text : text.replace(formulas, "'")).replaceAll('"', '""')}"`;

/** One line of RFC 4180 with its line break. A text that begins like a formula gets an apostrophe before it. */
export const csvLine = (cells: readonly string[], delimiter = ","): string => `${cells.map(cell).join(delimiter)}\r\n`;

/** Removes the guard against formulas from a text. */
export const withoutGuard = (text: string): string => text.replace(guarded, "");
