import type { SumName } from "#domain/statement-sums.ts";
import type { BalanceParts, Statement } from "../api/types.ts";
import { closingSums, entriesOf, totalOf } from "../components/statement/closing-sums.ts";
import { entryText, type StatementEntry } from "../components/statement/entry-text.ts";
import { formatCount, formatDate, pluralize } from "../format.ts";
import { type Equation, termsOf } from "./equation.ts";
import type { PartnerRow } from "./partner-text.ts";

type Data = Statement["data"];

const whats: Readonly<Record<SumName, string>> = {
  earned: "earned",
  refunded: "refunded or declined",
  adjusted: "of bonuses and deductions",
  returned: "of returned payments",
  paid: "of payments",
};

const titles: Readonly<Record<StatementEntry["kind"], readonly [one: string, many: string]>> = {
  earned: ["commission", "commissions"],
  moved: ["commission credited later", "commissions credited later"],
  reversed: ["refund", "refunds"],
  restored: ["canceled refund", "canceled refunds"],
  rejected: ["declined commission", "declined commissions"],
  adjusted: ["bonus or deduction", "bonuses and deductions"],
  paid: ["payment", "payments"],
  returned: ["returned payment", "returned payments"],
};

/** The entries as terms, one for each kind of entry. */
export const termsOfEntries = (entries: readonly StatementEntry[]): Equation["terms"] =>
  [...Map.groupBy(entries, ({ kind }) => kind)].map(([kind, all]) => ({
    title: `${formatCount(all.length)} ${titles[kind][all.length === 1 ? 0 : 1]}`,
    amountCents: totalOf(all),
  }));

export const sumEquation = (data: Data, sum: SumName): Equation => ({
  what: whats[sum],
  amountCents: closingSums(data)[`${sum}Cents`],
  currency: data.currency,
  terms: termsOfEntries(entriesOf(data, sum)),
});

/** The entries of an entry's commission up to this one. An entry without a commission has only itself. */
export function historyOf({ entries }: Data, index: number): readonly StatementEntry[] {
  const entry = entries[index];
  if (entry === undefined) return [];
  return entry.ref === null ? [entry] : entries.slice(0, index + 1).filter(({ ref }) => ref === entry.ref);
}

/** Explains what an entry has changed. `history` ends with the entry. */
export function entryEquation(entry: StatementEntry, history: readonly StatementEntry[], currency: string): Equation {
  const { amountCents } = entry;
  const after = totalOf(history);
  const changed: Equation["terms"] = [
    { title: "of the commission after this entry", amountCents: after },
    { title: "before it", amountCents: amountCents - after },
  ];
  return { what: entryText(entry), amountCents, currency, terms: history.length < 2 ? [] : changed };
}

export const noBalance = { pendingCents: 0, payableCents: 0, inPayoutCents: 0, paidCents: 0, carriedCents: 0 };

/** Explains an amount by its commissions and its other entries. */
export function partsEquation(what: string, parts: BalanceParts["data"]): Equation {
  const { amountCents, currency, commissions, initialCents, commissionsCents, entries, otherCents } = parts;
  return {
    what,
    amountCents,
    currency,
    terms: [
      ...termsOf(
        [pluralize(commissions, "commission"), initialCents],
        ["refunds and corrections", commissionsCents - initialCents],
      ),
      ...termsOfEntries(entries),
      ...termsOf([`${entries.length > 0 ? "other " : ""}bonuses, deductions, and refunds`, otherCents]),
    ],
  };
}

/** The payments of a statement as positive amounts, and returned payments as negative ones. */
export const paymentsOf = (data: Data): readonly StatementEntry[] =>
  entriesOf(data, "paid", "returned").map((entry) => ({ ...entry, amountCents: -entry.amountCents }));

/** An entry as a row for its partner, who may know everything in a statement. */
export const partnerRowOfEntry =
  (currency: string) =>
  (entry: StatementEntry): PartnerRow => ({
    ref: entry.ref,
    amountCents: entry.amountCents,
    currency,
    facts: [
      entryText({ ...entry, ref: "" }).replace(/, commission $/, ""),
      ...(entry.saleOn === null ? [] : [`sale of ${formatDate(entry.saleOn)}`]),
      `posted on ${formatDate(entry.postedOn)}`,
      ...(entry.underReview ? ["under review"] : []),
      ...(entry.partnerNote === null ? [] : [entry.partnerNote]),
    ],
  });
