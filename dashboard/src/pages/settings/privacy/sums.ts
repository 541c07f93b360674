import { moneyLabels } from "../../../outcome-labels.ts";

/** Titles of the rows of an erasure, by their names in the receipt. */
export const rowTitles: Readonly<Record<string, string>> = {
  customers: "Customers",
  customerClicks: "Clicks of customers",
  clicks: "Clicks",
  clickEventIds: "Event IDs of clicks",
  leads: "Leads",
  sales: "Sales",
  commissions: "Commissions",
  refunds: "Refunds",
  commissionSignals: "Review reasons",
  notes: "Notes",
  auditEntries: "Audit entries",
  partners: "Partners",
  partnerAccounts: "Access",
  partnerInvitations: "Invitations",
  paymentDetails: "Payment details",
  applications: "Applications",
  payoutLines: "Payout lines",
};

const sumTitles: Readonly<Record<string, string>> = {
  sales: "Sales",
  amountCents: "Revenue",
  refundedCents: "Refunded",
  commissionCents: "Commission",
  pendingCents: moneyLabels.pending,
  payableCents: `${moneyLabels.payable}, less deductions`,
  inPayoutCents: moneyLabels.inPayout,
  paidCents: moneyLabels.paid,
};

export interface Line {
  readonly title: string;
  readonly currency: string;
  readonly isCount: boolean;
  readonly before: number | undefined;
  readonly after: number | undefined;
}

interface OfCurrency {
  readonly currency: string;
}

const valueIn = (sums: object | undefined, name: string): number | undefined => {
  const value: unknown = sums === undefined ? undefined : Reflect.get(sums, name);
  return typeof value === "number" ? value : undefined;
};

/** A line for each sum in each currency, unless it was and is 0. `after` is undefined while the erasure is running. */
export function linesOf(before: readonly OfCurrency[], after: readonly OfCurrency[] | undefined): readonly Line[] {
  const currencies = new Set([...before, ...(after ?? [])].map(({ currency }) => currency));
  return [...currencies].flatMap((currency) => {
    const [was, is] = [before, after].map((sums) => sums?.find((each) => each.currency === currency));
    const names = Object.keys(sumTitles).filter((name) => (valueIn(was, name) ?? valueIn(is, name)) !== undefined);
    const lines = names.map((name) => ({
      title: sumTitles[name] ?? name,
      currency,
      isCount: name === "sales",
      before: valueIn(was, name),
      after: valueIn(is, name),
    }));
    return lines.filter(({ before: from, after: to }) => Boolean(from) || Boolean(to));
  });
}

export const isUnchanged = (lines: readonly Line[]): boolean => lines.every(({ before, after }) => before === after);
