import type { ComponentChildren, JSX } from "preact";
import { api, take } from "../../api/client.ts";
import { useProgramQuery } from "../../api/use-program-query.ts";
import { ExportButton } from "../../components/export-button.tsx";
import { Money } from "../../components/numbers.tsx";
import { Loaded, Skeleton } from "../../components/states.tsx";
import { explainAddress } from "../../explain-address.ts";
import { formatDate, formatMoney, formatPercent } from "../../format.ts";
import type { PartnerRow } from "../../reasons/partner-text.ts";
import { type ReasonRow, Rows } from "../../reasons/parts.tsx";
import { type Program, paramOf, useProgram } from "../../session.tsx";
import { CommissionBadge } from "../commissions/commission-badge.tsx";
import type { Commission } from "../commissions/queries.ts";
import { statusForPartner } from "./status-for-partner.ts";

export interface Narrowed {
  readonly status?: "pending" | "approved" | "paid";
  readonly partnerId?: string;
  readonly payoutId?: string;
  readonly inPayout?: "true" | "false";
  readonly sort?: "date";
  readonly currency: string;
}

/** Reads commissions; reads nothing if `narrowed` is undefined. */
export function useReasonCommissions(narrowed: Narrowed | undefined, cursor: string | undefined) {
  const query = narrowed && { ...narrowed, ...(cursor && { cursor }) };
  return useProgramQuery("commissions", { query }, async ({ param }, init) =>
    query === undefined ? null : take(api.programs[":programId"].commissions.$get({ param, query }, init)),
  );
}

export function ExportCommissions({ narrowed }: { readonly narrowed: Narrowed }): JSX.Element {
  const { program } = useProgram();
  return (
    <ExportButton
      title="Export these commissions"
      call={() =>
        api.programs[":programId"].commissions.$get({
          param: paramOf(program),
          query: { ...narrowed, columns: "accounting", format: "csv" },
        })
      }
    />
  );
}

interface CommissionPagesProps {
  readonly query: ReturnType<typeof useReasonCommissions>;
  readonly pagination: (nextCursor: string | null) => ComponentChildren;
}

/** A page of commissions, with buttons for the other pages. */
export const CommissionPages = ({ query, pagination }: CommissionPagesProps): JSX.Element => (
  <Loaded query={query} skeleton={<Skeleton lines={6} />}>
    {(list) =>
      list && (
        <>
          <CommissionRows commissions={list.data} />
          {pagination(list.meta.nextCursor)}
        </>
      )
    }
  </Loaded>
);

/** A row for each commission, which opens its explanation. */
function CommissionRows({ commissions }: { readonly commissions: readonly Commission[] }): JSX.Element {
  const { program } = useProgram();
  const rowOf = (commission: Commission): ReasonRow => ({
    key: commission.id,
    title: (
      <a href={explainAddress(program.id, { commissionId: String(commission.id) })}>
        <bdi>{commission.transactionId}</bdi>
      </a>
    ),
    detail: (
      <>
        {formatDate(commission.saleDate)} · {commission.ref} · <Before commission={commission} />
        <CommissionBadge {...commission} />
      </>
    ),
    amount: <Money amountCents={commission.amountCents} currency={commission.currency} />,
  });
  return <Rows label="Commissions" rows={commissions.map(rowOf)} />;
}

const Before = ({ commission }: { readonly commission: Commission }): JSX.Element | null =>
  commission.initialCents === commission.amountCents ? null : (
    <>
      <Money amountCents={commission.initialCents} currency={commission.currency} /> at first ·{" "}
    </>
  );

/** The part of a commission that its partner may know: not the order, the customer or the sale's amount. */
export const partnerRowOf = (commission: Commission, { timezone }: Pick<Program, "timezone">): PartnerRow => {
  const { ref, amountCents, initialCents, currency, appliedRateBps: rateBps, saleDate } = commission;
  return {
    ref,
    amountCents,
    currency,
    facts: [
      ...(rateBps === null ? [] : [`${formatPercent(rateBps / 100)} commission`]),
      `sale of ${formatDate(saleDate)}`,
      statusForPartner(commission, timezone, Date.now()),
      ...(initialCents === amountCents ? [] : [`${formatMoney(initialCents, currency)} at first`]),
    ],
  };
};
