import { type LineFault, type PayFormat, payFormats } from "#domain/pay-format.ts";
import type { Payer } from "#domain/payer.ts";
import type { LineState } from "#domain/payout-status.ts";
import { ok, type Result } from "#domain/result.ts";
import type { Ctx } from "#http/context.ts";
import type { PayoutRow } from "#store/payouts.ts";
import { readPayer } from "#store/views/programs.ts";
import { type LinesPage, type LinesQuery, readLines } from "../payouts.ts";
import { readFromDatabase } from "../read-database.ts";
import { type Layout, type PayFile, type PayLine, paypal, wise } from "./formats.ts";
import { sepa } from "./sepa.ts";

export const layouts: Readonly<Record<PayFormat, Layout>> = { paypal, wise, sepa };

interface Sum {
  readonly lineCount: number;
  readonly totalCents: number;
}

/**
 * One file, with at most as many lines as the payment service accepts. `lineCount` and `totalCents` exclude failed
 * lines.
 */
interface FilePart extends Sum {
  /**
   * Number of places in the file. Failed and refused lines keep their places, so that other lines never move to another
   * file.
   */
  readonly places: number;
  /** The file begins with the first line after this partner id. */
  readonly after: number;
}

interface SortedLines {
  readonly parts: Readonly<Record<PayFormat, readonly FilePart[]>>;
  /** Lines that a file could contain, but in another currency. */
  readonly inOtherCurrency: Readonly<Record<PayFormat, Sum>>;
  /** Lines that no file can contain. */
  readonly rest: Sum;
  /** Lines of `rest` whose payment method has a file format, but with values that the payment service would reject. */
  readonly refused: readonly RefusedLines[];
}

interface RefusedLines extends Sum {
  readonly format: PayFormat;
  readonly fault: LineFault;
  /** The partners of the first of these lines, at most `maxNamed`. */
  readonly partners: readonly Pick<PayLine, "partnerId" | "partnerCode">[];
}

const maxNamed = 20;

/** A line without payment details is paid to the partner's email address. */
export type FileableLine = Omit<PayLine, "details"> & { readonly details: PayLine["details"] | undefined };

const none: Sum = { lineCount: 0, totalCents: 0 };

const plus = <Of extends Sum>(sum: Of, line: Pick<PayLine, "amountCents"> | undefined): Of =>
  line === undefined ? sum : { ...sum, lineCount: sum.lineCount + 1, totalCents: sum.totalCents + line.amountCents };

interface FormattedLine {
  readonly format: PayFormat;
  readonly line: PayLine;
  /** Undefined if a file contains the line, or could contain it in another currency. */
  readonly fault: LineFault | undefined;
}

/** The line in the format for its payment method. Undefined if there is no such format. */
function formatLine({ details, ...rest }: FileableLine): FormattedLine | undefined {
  const format = payFormats.find((each) => layouts[each].method === details?.method);
  if (format === undefined || details === undefined) return undefined;
  const line = { ...rest, details };
  const { takesCurrency, faultOf } = layouts[format];
  return { format, line, fault: takesCurrency(line.currency) ? faultOf(line) : undefined };
}

/**
 * Assigns each added line to one file or one sum. Add the lines in the order of partner ids. A failed or refused line
 * only keeps its place in the file.
 */
export function lineSorter() {
  const parts: Record<PayFormat, FilePart[]> = { paypal: [], wise: [], sepa: [] };
  const inOtherCurrency = { paypal: none, wise: none, sepa: none };
  let rest = none;
  const refused = new Map<string, RefusedLines>();
  let after = 0;
  const place = ({ format, fault, line }: FormattedLine, counted: FileableLine | undefined): void => {
    if (layouts[format].takesCurrency(line.currency)) {
      addTo(parts[format], layouts[format], { counted: fault === undefined ? counted : undefined, after });
    } else inOtherCurrency[format] = plus(inOtherCurrency[format], counted);
    if (fault === undefined || counted === undefined) return;
    const before = refused.get(`${format} ${fault}`) ?? { ...none, format, fault, partners: [] };
    const partners = before.partners.length < maxNamed ? [...before.partners, line] : before.partners;
    refused.set(`${format} ${fault}`, { ...plus(before, counted), partners });
  };
  return {
    add: (line: FileableLine & { readonly state: LineState }): void => {
      const counted = line.state === "live" ? line : undefined;
      const found = formatLine(line);
      if (found === undefined || found.fault !== undefined) rest = plus(rest, counted);
      if (found !== undefined) place(found, counted);
      after = line.partnerId;
    },
    sorted: (): SortedLines => ({
      parts: { paypal: upToLastLine(parts.paypal), wise: upToLastLine(parts.wise), sepa: upToLastLine(parts.sepa) },
      inOtherCurrency,
      rest,
      refused: [...refused.values()],
    }),
  };
}

const upToLastLine = (parts: readonly FilePart[]): readonly FilePart[] =>
  parts.slice(0, parts.findLastIndex(({ lineCount }) => lineCount > 0) + 1);

function addTo(
  parts: FilePart[],
  { linesPerFile }: Layout,
  { counted, after }: { readonly counted: FileableLine | undefined; readonly after: number },
): void {
  let part = parts.pop();
  if (part?.places === linesPerFile) parts.push(part);
  if (part === undefined || part.places === linesPerFile) part = { ...none, places: 0, after };
  parts.push(plus({ ...part, places: part.places + 1 }, counted));
}

export interface SortedPayout extends SortedLines {
  readonly payout: PayoutRow;
  readonly payer: Payer | null;
}

/** A failed payment isn't sent again. Its amount is payable in the next payout. */
export const withoutFailed = <Page extends Pick<LinesPage, "page">>(found: Page): Page => ({
  ...found,
  page: found.page.filter(({ state }) => state === "live"),
});

export async function sortPayout(c: Ctx, query: LinesQuery): Promise<Result<SortedPayout>> {
  const reading = readFromDatabase(c, "program", (database) => readPayer(database, query.programId));
  const sorter = lineSorter();
  let after = 0;
  for (;;) {
    const read = await readLines(c, query, after);
    if (!read.ok) return read;
    const { payout, page, next } = read.value;
    for (const line of page) sorter.add(line);
    if (next === undefined) {
      const payer = await reading;
      return payer.ok ? ok({ payout, payer: payer.value, ...sorter.sorted() }) : payer;
    }
    after = next;
  }
}

/**
 * Throws if the lines don't match the counts in the file's head, because a line failed meanwhile. `pages` begins with
 * the file's first line.
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
