export interface ListedLine {
  readonly line: number;
  readonly name: string;
  readonly code: string;
  readonly email: string;
}

const separators = ["\t", ";", ","] as const;

/** The separator of cells in most lines: a tab in text copied from a spreadsheet. */
const separatorOf = (lines: readonly string[]): string =>
  separators.find((separator) => lines.filter((line) => line.includes(separator)).length * 2 > lines.length) ?? ",";

const unquoted = (cell: string): string =>
  cell
    .trim()
    .replace(/^"(.*)"$/, "$1")
    .replaceAll('""', '"')
    .trim();

const isHead = (cells: readonly string[]): boolean =>
  /^(partner|name)$/i.test(cells[0] ?? "") && /^code$/i.test(cells[1] ?? "");

/** Lines of name, code and email address, as they are pasted. A first line with these words is left out. */
export function parsePartnerList(text: string): readonly ListedLine[] {
  const lines = text.split(/\r\n|\r|\n/).map((content, i) => ({ line: i + 1, content }));
  const filled = lines.filter(({ content }) => content.trim() !== "");
  const separator = separatorOf(filled.map(({ content }) => content));
  return filled.flatMap(({ line, content }, i) => {
    const cells = content.split(separator).map(unquoted);
    const [name = "", code = "", email = ""] = cells;
    return i === 0 && isHead(cells) ? [] : [{ line, name, code, email }];
  });
}
