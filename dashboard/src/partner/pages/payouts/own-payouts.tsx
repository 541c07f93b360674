import type { JSX } from "preact";
import { take } from "../../../api/client.ts";
import { Badge, type Tone } from "../../../components/badge.tsx";
import { Money } from "../../../components/numbers.tsx";
import { Pagination } from "../../../components/pagination.tsx";
import { statementNumberOf } from "../../../components/statement/statement-number.ts";
import { Empty, Loaded } from "../../../components/states.tsx";
import { Table, TableSkeleton } from "../../../components/table.tsx";
import { DayOf } from "../../../components/time.tsx";
import { failedPayoutText } from "../../../failed-payout.ts";
import { reasonsOf } from "../../../reasons/reasons-address.ts";
import { WhyMoney } from "../../../reasons/why-money.tsx";
import { useFilters } from "../../../url.ts";
import { usePartner, usePartnerQuery } from "../../access.tsx";
import { partnerApi } from "../../client.ts";
import { useLinks } from "../links/queries.ts";

function usePayouts(cursor: string | undefined) {
  const { payouts } = partnerApi.programs[":programId"].partners[":partnerId"];
  return usePartnerQuery("payouts", { ...(cursor && { cursor }) }, (call, init) => take(payouts.$get(call, init)));
}
type Payout = NonNullable<ReturnType<typeof usePayouts>["data"]>["data"][number];

const statuses: Readonly<Record<Payout["status"], readonly [title: string, tone: Tone]>> = {
  final: ["Being paid", "accent"],
  paid: ["Paid", "good"],
  failed: ["Failed", "bad"],
};

export function OwnPayouts(): JSX.Element {
  const [{ cursor }] = useFilters();
  const payouts = usePayouts(cursor);
  return (
    <Loaded query={payouts} skeleton={<TableSkeleton rows={4} />}>
      {({ data, meta }) =>
        data.length === 0 ? (
          <Empty title="No payouts yet">A payout appears here as soon as the program pays what you have earned.</Empty>
        ) : (
          <div class="stack">
            <PayoutTable payouts={data} isStale={payouts.isBusy} />
            <Pagination nextCursor={meta.nextCursor} />
          </div>
        )
      }
    </Loaded>
  );
}

interface PayoutTableProps {
  readonly payouts: readonly Payout[];
  readonly isStale: boolean;
}

function PayoutTable({ payouts, isStale }: PayoutTableProps): JSX.Element {
  const { address } = usePartner();
  // A statement's number contains the partner's oldest code.
  const code = useLinks().data?.data[0]?.code;
  const titleOf = (number: number) => `Statement ${code === undefined ? number : statementNumberOf(code, number)}`;
  return (
    <div class="row-cards">
      <Table
        caption="Payouts, newest first"
        columns={[
          { head: "Reference", cell: ({ reference }) => <bdi>{reference}</bdi> },
          {
            head: "Status",
            cell: ({ status, partnerNote, failedAt, statementNumber }) => {
              const [title, tone] = statuses[status];
              return (
                <span class="two-lines">
                  <Badge tone={tone}>{title}</Badge>
                  {failedAt !== null && <small>{failedPayoutText({ failedAt, statementNumber })}</small>}
                  {partnerNote !== null && (
                    <small>
                      <bdi>{partnerNote}</bdi>
                    </small>
                  )}
                </span>
              );
            },
          },
          { head: "Paid on", cell: ({ paidAt }) => paidAt !== null && <DayOf at={paidAt} /> },
          {
            head: "Statement",
            cell: ({ statementNumber, reference }) =>
              statementNumber !== null && (
                <a
                  href={address("payouts", { tab: "statement", number: String(statementNumber) })}
                  aria-label={`${titleOf(statementNumber)}, ${reference}`}
                >
                  {titleOf(statementNumber)}
                </a>
              ),
          },
          {
            head: "Amount",
            isNumber: true,
            cell: ({ amountCents, currency, statementNumber, reference }) =>
              statementNumber === null ? (
                <Money amountCents={amountCents} currency={currency} />
              ) : (
                <WhyMoney
                  amountCents={amountCents}
                  currency={currency}
                  of={reasonsOf("payment", statementNumber)}
                  what={reference}
                />
              ),
          },
        ]}
        rows={payouts}
        rowKey={({ reference }) => reference}
        isStale={isStale}
      />
    </div>
  );
}
