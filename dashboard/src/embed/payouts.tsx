import type { JSX } from "preact";
import { Badge, type Tone } from "../components/badge.tsx";
import { Money } from "../components/numbers.tsx";
import { failedPayoutText } from "../failed-payout.ts";
import { formatDayOf, ownTimezone } from "../format-time.ts";
import { Paged } from "./list.tsx";
import { type Payout, usePayouts } from "./queries.ts";

const states = {
  final: ["Being paid", "accent"],
  paid: ["Paid", "good"],
  failed: ["Failed", "bad"],
} as const satisfies Record<Payout["status"], readonly [string, Tone]>;

export const Payouts = (): JSX.Element => (
  <Paged
    title="Your payouts"
    empty="Payments to you appear here."
    usePage={usePayouts}
    rowKey={({ reference, currency }: Payout) => `${reference} ${currency}`}
  >
    {(payout) => <OnePayout of={payout} />}
  </Paged>
);

function OnePayout({ of }: { readonly of: Payout }): JSX.Element {
  const { reference, status, paidAt, failedAt, statementNumber, amountCents, currency, partnerNote } = of;
  const [title, tone] = states[status];
  return (
    <>
      <span>
        <bdi>{reference}</bdi> <Badge tone={tone}>{title}</Badge>
        {paidAt !== null && <span class="soft small detail">{formatDayOf(paidAt, ownTimezone())}</span>}
        {failedAt !== null && <span class="soft small detail">{failedPayoutText({ failedAt, statementNumber })}</span>}
        {partnerNote !== null && <bdi class="soft small detail">{partnerNote}</bdi>}
      </span>
      <Money amountCents={amountCents} currency={currency} />
    </>
  );
}
