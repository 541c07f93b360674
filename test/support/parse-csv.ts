/** Parses CSV as specified in RFC 4180. */
export function parseCsv(text: string): string[][] {
  const cells = [...text.matchAll(/("(?:[^"]|"")*"|[^",\r\n]*)(,|\r\n)/g)];
  const lines: string[][] = [[]];
  for (const [, cell = "", end] of cells) {
    lines.at(-1)?.push(cell.startsWith('"') ? cell.slice(1, -1).replaceAll('""', '"') : cell);
    if (end === "\r\n") lines.push([]);
  }
  return lines.slice(0, -1);
}
