import type { EntryFacts, ExplainFacts, StorySale } from "./facts.ts";
import { moneyText } from "./text.ts";

interface InPayout {
  readonly payout: string;
  readonly cents: number;
  readonly isPaidOut: boolean;
}

/**
 * Says what payouts have paid and deducted of a commission that was refunded or corrected after a payout included it.
 * Empty if one payout has exactly the commission's amount, or no payout has any of it. If not all entries were read, it
 * names only the first payout.
 */
export function settledText(facts: ExplainFacts, { commission }: StorySale): string {
  const { partnerId, amountCents, initialCents, entryCount, currency } = commission;
  const [first, ...later] = inPayouts(facts.entries.filter((entry) => entry.partnerId === partnerId));
  if (first === undefined) return "";
  if (facts.entries.length < entryCount) {
    return amountCents === initialCents ? "" : `; ${first.payout} includes it, and later payouts deduct later refunds`;
  }
  const money = (cents: number) => moneyText(Math.abs(cents), currency, facts.units);
  const nextCents = [first, ...later].reduce((rest, { cents }) => rest - cents, amountCents);
  if (later.length === 0) {
    if (nextCents === 0) return "";
    if (amountCents === 0) {
      const already = first.isPaidOut ? "already paid" : `already in ${first.payout}`;
      return `, and the next payout deducts the ${money(first.cents)} ${already}`;
    }
  }
  const next = { payout: "the next payout", cents: nextCents, isPaidOut: false };
  const changes = [...later, next]
    .filter(({ cents }) => cents !== 0)
    .map((change) => `${change.payout} ${changeVerb(change)} ${money(change.cents)}`);
  const paid = `${money(first.cents)} ${first.isPaidOut ? "was paid out with" : "is in"} ${first.payout}`;
  const last = changes.at(-1);
  return `; ${[paid, ...changes.slice(0, -1)].join(", ")}${last === undefined ? "" : `, and ${last}`}`;
}

/** The sum of the entries in each payout, first payout first. */
const inPayouts = (entries: readonly EntryFacts[]): readonly InPayout[] =>
  [...Map.groupBy(entries, ({ payoutReference }) => payoutReference)].flatMap(([reference, own]) =>
    reference === null
      ? []
      : {
          payout: `payout ${reference}`,
          cents: own.reduce((sum, entry) => sum + entry.amountCents, 0),
          isPaidOut: own.some((entry) => entry.isPaidOut),
        },
  );

function changeVerb({ cents, isPaidOut }: InPayout): string {
  if (cents < 0) return isPaidOut ? "deducted" : "deducts";
  return isPaidOut ? "added" : "adds";
}
