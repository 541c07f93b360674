import { formatMoney } from "../format.ts";
import { nameInText } from "../named-by-code.ts";
import { type Equation, equationText } from "./equation.ts";

/** The part of a row that a partner may know: neither order nor customer. */
export interface PartnerRow {
  /** The commission's reference for the partner. Null if the row isn't a commission. */
  readonly ref: string | null;
  readonly amountCents: number;
  readonly currency: string;
  /** The commission's verdict, rule and dates. */
  readonly facts: readonly string[];
}

interface PartnerText {
  readonly programName: string;
  readonly equation: Equation;
  readonly note?: string | undefined;
  readonly rows: readonly PartnerRow[];
  /** True if there are more rows than these. */
  readonly hasMore: boolean;
}

const lineOf = ({ ref, amountCents, currency, facts }: PartnerRow): string =>
  [`- ${ref === null ? "" : `${ref}: `}${formatMoney(amountCents, currency)}`, ...facts].join("; ");

/** The reasons for an amount as plain text for a mail. */
export const partnerText = ({ programName, equation, note, rows, hasMore }: PartnerText): string =>
  [
    `${nameInText(programName)}: ${equationText(equation)}`,
    ...(note === undefined ? [] : [note]),
    rows.map(lineOf).join("\n"),
    ...(hasMore ? ["This is only part of the list. Your pages show all of it."] : []),
  ]
    .filter((part) => part !== "")
    .join("\n\n");
