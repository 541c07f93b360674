export interface ListedLine {
  readonly line: number;
  readonly name: string;
  readonly code: string;
  readonly email: string;
}

const separators = ["\t", ";", ","] as const;

/** Returns the separator that most lines contain. Default: a comma. Text copied from a spreadsheet has tabs. */
const separatorOf = (lines: readonly string[]): string =>
  separators.find((separator) => lines.filter((line) => line.includes(separator)).length * 2 > lines.length) ?? ",";

/** Splits a line into trimmed cells. Within quotes, a separator is part of the cell. May add an empty cell at the end. */
function cellsOf(line: string, separator: string): readonly string[] {
  const cell = new RegExp(` *(?:"((?:[^"]|"")*)" *|([^${separator}]*))(?:${separator}|$)`, "g");
  return [...line.matchAll(cell)].map(([, quoted, plain = ""]) => (quoted?.replaceAll('""', '"') ?? plain).trim());
}

export interface PastedLine {
  readonly line: number;
  readonly cells: readonly string[];
}

/** Lines of cells, typed or pasted from a spreadsheet. Empty lines are left out. */
export function pastedLines(text: string): readonly PastedLine[] {
  const lines = text.split(/\r\n|\r|\n/).map((content, i) => ({ line: i + 1, content }));
  const filled = lines.filter(({ content }) => content.trim() !== "");
  const separator = separatorOf(filled.map(({ content }) => content));
  return filled.map(({ line, content }) => ({ line, cells: cellsOf(content, separator) }));
}

const isHead = (cells: readonly string[]): boolean =>
  /^(partner|name)$/i.test(cells[0] ?? "") && /^code$/i.test(cells[1] ?? "");

/** Parses pasted lines of name, code and email address. A first line with these words as headers is left out. */
export function parsePartnerList(text: string): readonly ListedLine[] {
  return pastedLines(text).flatMap(({ line, cells }, i) => {
    const [name = "", code = "", email = ""] = cells;
    return i === 0 && isHead(cells) ? [] : [{ line, name, code, email }];
  });
}
