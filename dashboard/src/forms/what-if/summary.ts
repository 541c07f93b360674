import { changeText } from "#domain/explain/change-text.ts";
import { formatMoney } from "../../format.ts";
import { comparedDays, type SimulatedRow } from "./simulate.ts";

export type Cost = Pick<SimulatedRow, "currency" | "sales" | "wasCents" | "todayCents" | "wouldBeCents">;

/**
 * Sentences that compare the cost under the entered policy with the cost under today's policy, one for each currency.
 * `recalculated` is the number of sales that the policy decides.
 */
export function changeSentences(totals: readonly Cost[], recalculated: number): readonly string[] {
  if (totals.length === 0) return [`There were no sales in the last ${comparedDays} days.`];
  if (recalculated === 0) return [`This change can't be compared with the last ${comparedDays} days.`];
  return totals.map(({ currency, todayCents, wouldBeCents }) =>
    changeText((cents) => formatMoney(cents, currency), todayCents, wouldBeCents),
  );
}

/** Sentences that compare the cost under the entered policy with what the sales did cost, one for each currency. */
export const costSentences = (totals: readonly Cost[]): readonly string[] =>
  totals.map(({ currency, wasCents, wouldBeCents }) => {
    const cost = `The last ${comparedDays} days would have cost`;
    const was = formatMoney(wasCents, currency);
    return wasCents === wouldBeCents
      ? `${cost} the same: ${was}.`
      : `${cost} ${formatMoney(wouldBeCents, currency)} instead of ${was}.`;
  });

/** Totals of one partner, by currency. */
export const totalsOf = (partnerId: number, rows: readonly SimulatedRow[]): readonly Cost[] =>
  [
    ...Map.groupBy(
      rows.filter((row) => row.partnerId === partnerId),
      ({ currency }) => currency,
    ),
  ].map(([currency, own]) => {
    const sum = (field: Exclude<keyof Cost, "currency">) => own.reduce((total, row) => total + row[field], 0);
    return {
      currency,
      sales: sum("sales"),
      wasCents: sum("wasCents"),
      todayCents: sum("todayCents"),
      wouldBeCents: sum("wouldBeCents"),
    };
  });

/**
 * The rows for which the entered policy would cost more or less than today's: the newest month first, and within a
 * month the largest change first.
 */
export const changedRows = (rows: readonly SimulatedRow[]): readonly SimulatedRow[] =>
  rows
    .filter(({ todayCents, wouldBeCents }) => todayCents !== wouldBeCents)
    .toSorted((a, b) => b.month.localeCompare(a.month) || changeOf(b) - changeOf(a) || a.partnerId - b.partnerId);

const changeOf = ({ todayCents, wouldBeCents }: SimulatedRow): number => Math.abs(wouldBeCents - todayCents);

export const signed = (cents: number, currency: string): string =>
  `${cents > 0 ? "+" : ""}${formatMoney(cents, currency)}`;
