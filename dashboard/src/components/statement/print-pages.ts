import type { Statement } from "../../api/types.ts";
import { nameInText } from "../../named-by-code.ts";
import { entryText, type StatementEntry } from "./entry-text.ts";
import { laterNotices } from "./later.ts";

// A browser numbers the pages of a whole print run, and one run may print many statements. So this module divides each
// statement into pages itself, by the row heights that statement.css sets for print.

export interface StatementLine {
  readonly key: string;
  readonly day: string;
  /** The entry, or the title of an opening or closing balance. */
  readonly of: StatementEntry | string;
  readonly balanceCents: number;
}

export function linesOf({
  entries,
  from,
  to,
  openingCents,
  closingCents,
}: Statement["data"]): readonly StatementLine[] {
  let balanceCents = openingCents;
  return [
    { key: "opening", day: from, of: "Opening balance", balanceCents },
    ...entries.map((entry, i) => {
      balanceCents += entry.amountCents;
      return { key: String(i), day: entry.postedOn, of: entry, balanceCents };
    }),
    { key: "closing", day: to, of: "Closing balance", balanceCents: closingCents },
  ];
}

/** Height of an A4 page in pixels, without its margins and the line with the page number. */
const pageHeight = 930;
const rowHeight = 25;
const lineHeight = 16;
const descriptionWidth = 300;
const sheetWidth = 640;

/**
 * The largest width of a character in ems. Characters of a script without upper case, such as Chinese, may be as wide
 * as they are high.
 */
function widthOf(character: string): number {
  if (/[WM@%]/.test(character)) return 1;
  if (character > "\u04ff") return 1.1;
  return /[A-Z]/.test(character) ? 0.78 : 0.6;
}

/** Counts the lines of a text that may break anywhere. */
export function countLines(text: string, fontSize: number, width: number): number {
  return text
    .split("\n")
    .map((line) => [...line].reduce((sum, character) => sum + widthOf(character), 0) * fontSize)
    .reduce((lines, length) => lines + Math.max(1, Math.ceil(length / width)), 0);
}

function heightOf({ of }: StatementLine): number {
  if (typeof of === "string") return rowHeight;
  const wrapped = countLines(entryText(of), 12, descriptionWidth) - 1;
  const notes = of.partnerNote === null ? 0 : countLines(of.partnerNote, 11, descriptionWidth);
  return rowHeight + lineHeight * (wrapped + notes + (of.underReview ? 1 : 0));
}

/** Height of a row of a list of facts, with the gap after it. */
const factHeight = 19;
const gap = 16;
/** Borders, padding and margin of a notice. */
const noticeFrame = 24;
/** Width of a fact's value. */
const valueWidth = 480;

function headHeight(data: Statement["data"]): number {
  const { issuer, programName, name, address, taxId, number, paidOn } = data;
  const half = sheetWidth / 2;
  const ofIssuer =
    countLines(issuer?.name ?? programName, 12, half) + (issuer ? countLines(issuer.address, 12, half) : 0);
  const ofPartner = countLines(name, 12, half) + (address === null ? 0 : countLines(address, 12, half));
  const taxIds = issuer?.taxId != null || taxId !== null ? 1 : 0;
  const parties = lineHeight * (1 + Math.max(ofIssuer, ofPartner) + taxIds);
  const optionalFacts =
    (number === null ? 0 : 1) + (issuer === null ? 0 : countLines(programName, 12, valueWidth)) + (paidOn ? 1 : 0);
  const titleLines = countLines(`Statement for ${nameInText(name)}`, 22, sheetWidth);
  const notices = laterNotices(data).map(
    (text) => noticeFrame + lineHeight * countLines(text, 12, sheetWidth - 2 * gap),
  );
  const later = notices.reduce((sum, height) => sum + height, 0);
  return parties + later + 30 * titleLines + factHeight * (4 + optionalFacts) + 4 * gap;
}

/** Height of the end of the statement: its sums, the open amounts, the terms and a note. */
function closingHeight({ payoutTerms, payableCents, refundedCents, adjustedCents }: Statement["data"]): number {
  const sums = 4 + (refundedCents === 0 ? 0 : 1) + (adjustedCents === 0 ? 0 : 1);
  const openSums = payableCents === undefined ? 0 : gap + factHeight * 4;
  const terms = payoutTerms === null ? 0 : 40 + lineHeight * countLines(payoutTerms, 12, sheetWidth);
  return gap + factHeight * sums + openSums + terms + gap + lineHeight;
}

export interface PrintPage {
  readonly lines: readonly StatementLine[];
  readonly isFirst: boolean;
  readonly isLast: boolean;
}

/** Number of entries that stay on the same page as the sums, so that the sums are never alone on a page. */
const withSums = 3;

export function printPages(data: Statement["data"]): readonly PrintPage[] {
  const lines = linesOf(data);
  const pages: StatementLine[][] = [[]];
  let left = pageHeight - headHeight(data) - rowHeight;
  for (const line of lines) {
    const height = heightOf(line);
    if (height > left && pages.at(-1)?.length !== 0) {
      pages.push([]);
      left = pageHeight - rowHeight;
    }
    pages.at(-1)?.push(line);
    left -= height;
  }
  if (closingHeight(data) > left) pages.push([]);
  const [before, last] = pages.slice(-2);
  if (before !== undefined && last !== undefined && last.length < withSums)
    last.unshift(...before.splice(Math.max(1, before.length - withSums + last.length)));
  return pages.map((page, i) => ({ lines: page, isFirst: i === 0, isLast: i === pages.length - 1 }));
}
