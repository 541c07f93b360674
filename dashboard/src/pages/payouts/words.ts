import type { LineChange } from "../../api/types.ts";
import type { Tone } from "../../components/badge.tsx";
import type { Line, Payout, PayoutWithLines } from "./queries.ts";

type Status = Payout["status"];

export const statusWords: Readonly<Record<Status, readonly [label: string, tone: Tone]>> = {
  draft: ["Draft", "plain"],
  final: ["Ready to pay", "warn"],
  paid: ["Paid", "good"],
  canceled: ["Canceled", "plain"],
};

type Settlement = NonNullable<Line["settlement"]>;

export const settlementWords: Readonly<Record<Settlement, readonly [label: string, tone: Tone]>> = {
  waiting: ["Waiting", "plain"],
  due: ["Due", "warn"],
  settled: ["Settled", "good"],
  given_back: ["Given back", "bad"],
};

export const skipWords: Readonly<Record<PayoutWithLines["skipped"][number]["reason"], string>> = {
  below_minimum: "Below the minimum. The amount is left for a later payout.",
  negative: "Refunds and deductions exceed earnings. The amount is deducted from the next payout.",
  paused: "The partner was paused. To pay them anyway, select them under Balances for a new payout.",
  details_changed: "The email address or payment details were changed recently.",
  no_details: "There are no payment details.",
  over_limit: "The payout's total would be too large. The amount is left for a later payout.",
};

export const changeWords: Readonly<Record<PayoutWithLines["changes"][number]["reason"], string>> = {
  below_minimum: "Now below the minimum",
  negative: "Refunds and deductions now exceed earnings",
  paused: "Partner was paused",
  details_changed: "Email address or payment details were changed recently",
  no_details: "No payment details",
  over_limit: "Total would be too large",
  added: "Added",
  amount_changed: "Amount changed",
};

type Skipped = Pick<PayoutWithLines["skipped"][number], "reason" | "amountCents">;

export const skipText = ({ reason, amountCents }: Skipped): string =>
  amountCents === 0 ? "Nothing is left to pay." : skipWords[reason];

/** A payout without a minimum stores 1 as its minimum, and only an amount of 0 is below that. */
export const changeText = (reason: LineChange["reason"], minimumCents: number): string =>
  reason === "below_minimum" && minimumCents === 1 ? "Nothing is left to pay" : changeWords[reason];
