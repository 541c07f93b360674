import { formatMoney } from "../format.ts";
import { type Equation, equationText } from "./equation.ts";

/** What a partner may know about a row: neither order nor customer. */
export interface PartnerRow {
  /** The partner's reference. Null for what isn't a commission. */
  readonly ref: string | null;
  readonly amountCents: number;
  readonly currency: string;
  /** Verdict, rule and dates. */
  readonly facts: readonly string[];
}

interface PartnerText {
  readonly programName: string;
  readonly equation: Equation;
  readonly note?: string | undefined;
  readonly rows: readonly PartnerRow[];
  /** There are more rows than these. */
  readonly hasMore: boolean;
}

const lineOf = ({ ref, amountCents, currency, facts }: PartnerRow): string =>
  [`- ${ref === null ? "" : `${ref}: `}${formatMoney(amountCents, currency)}`, ...facts].join("; ");

/** Plain text for a mail. */
export const partnerText = ({ programName, equation, note, rows, hasMore }: PartnerText): string =>
  [
    `${programName}: ${equationText(equation)}`,
    ...(note === undefined ? [] : [note]),
    rows.map(lineOf).join("\n"),
    ...(hasMore ? ["This isn't the whole list. Your pages have all of it."] : []),
  ]
    .filter((part) => part !== "")
    .join("\n\n");
