import { formatDate, formatMoney } from "../../../format.ts";
import type { Balance, Overview } from "./queries.ts";

type NextPayout = Overview["data"]["nextPayout"];

/** The text about a negative balance: more was reversed than earned. Undefined if the balance isn't negative. */
export const deduction = (balance: Balance | undefined): string | undefined =>
  balance === undefined || balance.carriedCents >= 0
    ? undefined
    : `${formatMoney(-balance.carriedCents, balance.currency)} will be deducted from your next earnings.`;

const dayText = (day: string, today: string): string => (day > today ? `on ${formatDate(day)}` : "today");

interface Asked {
  readonly next: NextPayout;
  readonly balance: Balance | undefined;
  readonly today: string;
  /** True if the program has paused the partner. */
  readonly isPaused: boolean;
}

/** Says when the partner gets the payable amount, and what happens to the amounts on hold. */
export function comesWhen({ next, balance, today, isPaused }: Asked): string {
  const { currency, payableCents, minimumCents, nextHoldEnd } = next;
  const pendingCents = balance?.pendingCents ?? 0;
  const sentences: string[] = [];
  if (isPaused && payableCents > 0) sentences.push("Payouts usually leave you out while you are paused.");
  else if (payableCents >= minimumCents && payableCents > 0) sentences.push("It will be part of the next payout.");
  else if (minimumCents > 1) sentences.push(`Paid once the balance reaches ${formatMoney(minimumCents, currency)}.`);
  if (pendingCents > 0) {
    sentences.push(`${formatMoney(pendingCents, currency)} is on hold.`);
    if (nextHoldEnd !== null) sentences.push(`More becomes payable ${dayText(nextHoldEnd, today)}.`);
  }
  const paidCents = balance?.paidCents ?? 0;
  const isIdle = sentences.length === 0;
  if (paidCents > 0) sentences.push(`${formatMoney(paidCents, currency)} paid so far.`);
  else if (isIdle) sentences.push("Nothing yet.");
  if (isIdle) sentences.push("What you earn next is paid after its hold period.");
  return sentences.join(" ");
}
