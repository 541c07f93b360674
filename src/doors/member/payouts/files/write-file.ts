import type { PayFormat } from "#domain/pay-format.ts";
import type { PayFile } from "./layout.ts";
import { type FileableLine, formatLine, layouts } from "./sort-lines.ts";

/**
 * Breaks off if the lines are no longer those that its head counts, because one of them failed meanwhile. `pages`: from the
 * part's first line on.
 */
export async function* writeFile(
  format: PayFormat,
  file: PayFile,
  pages: AsyncIterable<{ readonly page: readonly FileableLine[] }>,
): AsyncGenerator<string, undefined> {
  const { head, line: write, foot } = layouts[format].partsOf(file);
  yield head;
  let [lineCount, totalCents] = [0, 0];
  for await (const { page } of pages) {
    const taken = page
      .flatMap((line) => formatLine(line) ?? [])
      .filter((found) => found.format === format && found.fault === undefined)
      .slice(0, file.lineCount - lineCount);
    yield taken.map(({ line }) => write(line)).join("");
    lineCount += taken.length;
    totalCents += taken.reduce((sum, { line }) => sum + line.amountCents, 0);
    if (lineCount === file.lineCount) break;
  }
  if (lineCount !== file.lineCount || totalCents !== file.totalCents) {
    throw new Error("a line of the payout changed while its file was written");
  }
  yield foot;
}
