/** What a spreadsheet would take for a formula, and run: https://owasp.org/www-community/attacks/CSV_Injection */
const isFormula = (text: string): boolean => /^[=+\-@\t\r]/.test(text);

function cell(text: string): string {
  const shown = isFormula(text) ? `'${text}` : text;
  return /[",\r\n]/.test(shown) ? `"${shown.replaceAll('"', '""')}"` : shown;
}

/** One line of RFC 4180, with its end. */
export const csvLine = (cells: readonly string[]): string => `${cells.map(cell).join(",")}\r\n`;
