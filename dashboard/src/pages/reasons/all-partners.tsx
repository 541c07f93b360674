import type { JSX } from "preact";
import { dayIn } from "#domain/calendar.ts";
import { api } from "../../api/client.ts";
import { ExportButton } from "../../components/export-button.tsx";
import { Money } from "../../components/numbers.tsx";
import { Loaded, Skeleton } from "../../components/states.tsx";
import { formatDayOf } from "../../format-time.ts";
import { namedByCode } from "../../named-by-code.ts";
import { moneyLabels } from "../../outcome-labels.ts";
import { NoReasons } from "../../reasons/host.tsx";
import { Rows, Sum, usePages } from "../../reasons/parts.tsx";
import { reasonsOf } from "../../reasons/reasons-address.ts";
import { WhyMoney } from "../../reasons/why-money.tsx";
import { paramOf, useProgram } from "../../session.tsx";
import { payoutAddress } from "../../url.ts";
import { type Balance, useBalances, useBalancesWith, usePayouts } from "../payouts/queries.ts";

const fields = ["payable", "pending", "inPayout", "carried"] as const;
type Field = (typeof fields)[number];
const isField = (name: string): name is Field => fields.some((each) => each === name);
const amountOf = (balance: Pick<Balance, `${Field}Cents`>, field: Field): number => balance[`${field}Cents`];

interface OfAllProps {
  readonly currency: string;
}

/** Explains a sum over all partners, by partner. */
export const OfAllPartners = ({ field, ...props }: OfAllProps & { readonly field: string }): JSX.Element =>
  isField(field) ? <ByPartner {...props} field={field} /> : <NoReasons />;

function ByPartner({ field, currency }: OfAllProps & { readonly field: Field }): JSX.Element {
  const { program } = useProgram();
  const { cursor, pagination } = usePages();
  const balances = useBalancesWith(field, currency, cursor);
  const title = moneyLabels[field];
  return (
    <Loaded query={balances} skeleton={<Skeleton lines={8} />}>
      {({ data, meta }) => {
        const total = meta.totals.find((each) => each.currency === currency);
        const amountCents = total === undefined ? 0 : amountOf(total, field);
        const carriedCents = total?.carriedCents ?? 0;
        return (
          <>
            <Sum equation={{ what: title.toLowerCase(), amountCents, currency, terms: [] }} note="By partner.">
              <ExportButton
                label="Export these balances"
                call={() =>
                  api.programs[":programId"].balances.$get({
                    param: paramOf(program),
                    query: { currency, sort: field, nonzero: "true", format: "csv" },
                  })
                }
              />
            </Sum>
            <Rows
              label="Partners"
              rows={data.map((balance) => ({
                key: balance.partnerId,
                title: <bdi>{balance.name}</bdi>,
                detail: <code>{balance.partnerCode}</code>,
                amount: (
                  <WhyMoney
                    amountCents={amountOf(balance, field)}
                    currency={currency}
                    of={reasonsOf("balance", field === "carried" ? "payable" : field, balance.partnerId, currency)}
                    what={`${title}, ${namedByCode(balance)}`}
                  />
                ),
              }))}
            />
            {pagination(meta.nextCursor)}
            {field === "payable" && carriedCents !== 0 && (
              <p class="soft">
                Not subtracted here:{" "}
                <WhyMoney
                  amountCents={carriedCents}
                  currency={currency}
                  of={reasonsOf("all", "carried", currency)}
                  what={moneyLabels.carried}
                />{" "}
                to be deducted from other partners' next earnings.
              </p>
            )}
          </>
        );
      }}
    </Loaded>
  );
}

/** Explains the amount paid this year: payouts, less returned payments. */
export function OfPaidThisYear({ currency }: OfAllProps): JSX.Element {
  const { program } = useProgram();
  const { cursor, pagination } = usePages();
  const balances = useBalances(currency, undefined);
  const payouts = usePayouts(cursor);
  const yearOf = (instant: string) => formatYear(instant, program.timezone);
  const thisYear = yearOf(new Date().toISOString());
  const isPaid = ({ status, paidAt, ...payout }: Payout) =>
    status === "paid" && payout.currency === currency && paidAt !== null && yearOf(paidAt) === thisYear;
  return (
    <Loaded query={{ ...payouts, data: balances.data && payouts.data }} skeleton={<Skeleton lines={8} />}>
      {({ data, meta }) => {
        const total = balances.data?.meta.totals.find((each) => each.currency === currency);
        const amountCents = total?.paidThisYearCents ?? 0;
        return (
          <>
            <Sum equation={{ what: "paid this year", amountCents, currency, terms: [] }} note="By payout.">
              <ExportButton
                label="Export payouts"
                call={() =>
                  api.programs[":programId"].payouts.$get({ param: paramOf(program), query: { format: "csv" } })
                }
              />
            </Sum>
            <Rows
              label="Payouts"
              rows={data.filter(isPaid).map(({ id, reference, paidAt, totalCents, returnedCents }) => ({
                key: id,
                title: (
                  <a href={payoutAddress(program.id, id)}>
                    <bdi>{reference}</bdi>
                  </a>
                ),
                detail: (
                  <>
                    {paidAt !== null && formatDayOf(paidAt, program.timezone)}
                    {returnedCents !== 0 && (
                      <>
                        {" "}
                        · <Money amountCents={returnedCents} currency={currency} /> returned
                      </>
                    )}
                  </>
                ),
                amount: <Money amountCents={totalCents - returnedCents} currency={currency} />,
              }))}
            />
            {pagination(meta.nextCursor)}
          </>
        );
      }}
    </Loaded>
  );
}

type Payout = NonNullable<ReturnType<typeof usePayouts>["data"]>["data"][number];

const formatYear = (instant: string, timezone: string): string => dayIn(timezone, Date.parse(instant)).slice(0, 4);
