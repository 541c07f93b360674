import { formatMoney } from "../../format.ts";
import { comparedDays, type SimulatedRow } from "./simulate.ts";

export type Cost = Pick<SimulatedRow, "currency" | "sales" | "wasCents" | "wouldBeCents">;

/** A sentence about the cost for each currency. */
export function costSentences(totals: readonly Cost[]): readonly string[] {
  if (totals.length === 0) return [`There were no sales in the last ${comparedDays} days.`];
  return totals.map(({ currency, wasCents, wouldBeCents }) => {
    const cost = `The last ${comparedDays} days would have cost`;
    const was = formatMoney(wasCents, currency);
    return wasCents === wouldBeCents
      ? `${cost} the same: ${was}.`
      : `${cost} ${formatMoney(wouldBeCents, currency)} instead of ${was}.`;
  });
}

/** Totals of one partner, by currency. */
export const totalsOf = (partnerId: number, rows: readonly SimulatedRow[]): readonly Cost[] =>
  [
    ...Map.groupBy(
      rows.filter((row) => row.partnerId === partnerId),
      ({ currency }) => currency,
    ),
  ].map(([currency, own]) => {
    const sum = (field: "sales" | "wasCents" | "wouldBeCents") => own.reduce((total, row) => total + row[field], 0);
    return { currency, sales: sum("sales"), wasCents: sum("wasCents"), wouldBeCents: sum("wouldBeCents") };
  });

/** The changed rows: the newest month first, and within a month the largest change first. */
export const changedRows = (rows: readonly SimulatedRow[]): readonly SimulatedRow[] =>
  rows
    .filter(({ wasCents, wouldBeCents }) => wasCents !== wouldBeCents)
    .toSorted((a, b) => b.month.localeCompare(a.month) || changeOf(b) - changeOf(a) || a.partnerId - b.partnerId);

const changeOf = ({ wasCents, wouldBeCents }: SimulatedRow): number => Math.abs(wouldBeCents - wasCents);

export const signed = (cents: number, currency: string): string =>
  `${cents > 0 ? "+" : ""}${formatMoney(cents, currency)}`;
