import type { JSX } from "preact";
import { dayIn } from "#domain/calendar.ts";
import { api, take } from "../../api/client.ts";
import { type PartnerWithBalances, usePartner } from "../../api/partners.ts";
import { useProgramQuery } from "../../api/use-program-query.ts";
import { ExportButton } from "../../components/export-button.tsx";
import { PartnerLink } from "../../components/partner-link.tsx";
import type { StatementEntry } from "../../components/statement/entry-text.ts";
import { Loaded, Skeleton } from "../../components/states.tsx";
import { formatDate, formatMoney, pluralize } from "../../format.ts";
import { moneyLabels } from "../../outcome-labels.ts";
import { EntryRows } from "../../reasons/entry-rows.tsx";
import { type Equation, termsOf } from "../../reasons/equation.ts";
import { NoReasons } from "../../reasons/host.tsx";
import { partnerText } from "../../reasons/partner-text.ts";
import { Sum, usePages } from "../../reasons/parts.tsx";
import { noBalance, partnerRowOfEntry, partsEquation } from "../../reasons/statement-reasons.ts";
import { paramOf, useProgram } from "../../session.tsx";
import { type Commission, type Total, useTotals } from "../commissions/queries.ts";
import {
  CommissionPages,
  ExportCommissions,
  type Narrowed,
  partnerRowOf,
  useReasonCommissions,
} from "./commission-rows.tsx";
import { useEntryAddress } from "./entry-address.ts";

type Balance = PartnerWithBalances["balances"][number];

/** A partner's balance in a currency; all amounts are 0 if nothing was earned in it yet. */
export const balanceIn = ({ balances }: PartnerWithBalances, currency: string): Balance =>
  balances.find((each) => each.currency === currency) ?? { ...noBalance, currency };

interface OfBalanceProps {
  readonly partnerId: string;
  readonly currency: string;
}

/**
 * Sums the commissions of a status. The terms are the amounts before refunds, and the amounts that refunds and
 * corrections removed.
 */
export function sumOf(totals: readonly Total[], status: Total["status"], currency: string) {
  const found = totals.filter((each) => each.status === status && each.currency === currency);
  const sum = (field: "count" | "initialCents" | "amountCents") => found.reduce((all, each) => all + each[field], 0);
  const [count, initialCents, amountCents] = [sum("count"), sum("initialCents"), sum("amountCents")];
  const terms = termsOf(
    [pluralize(count, "commission"), initialCents],
    ["refunds and corrections", amountCents - initialCents],
  );
  return { count, amountCents, terms };
}

/**
 * The next release, such as "Next €34.68 on 2 Dec 2026". `pending` must contain all commissions on hold. Undefined if
 * no release is scheduled.
 */
export function nextRelease(pending: readonly Commission[], timezone: string): string | undefined {
  const timed = pending.filter(({ held, unconfirmed, holdUntil }) => !held && !unconfirmed && holdUntil !== null);
  const days = Map.groupBy(timed, ({ holdUntil }) => dayIn(timezone, Date.parse(holdUntil ?? "")));
  const [first] = [...days].toSorted(([one], [other]) => one.localeCompare(other));
  const currency = timed[0]?.currency;
  if (first === undefined || currency === undefined) return undefined;
  const cents = first[1].reduce((sum, { amountCents }) => sum + amountCents, 0);
  return `Next ${formatMoney(cents, currency)} on ${formatDate(first[0])}.`;
}

function useBalanceParts(partnerId: string, currency: string) {
  const query = { field: "payable", currency } as const;
  return useProgramQuery(`parts of ${partnerId}`, query, async ({ param, query: asked }, init) => {
    const parts = api.programs[":programId"].partners[":partnerId"]["balance-parts"];
    return (await take(parts.$get({ param: { ...param, partnerId }, query: asked }, init))).data;
  });
}

/** Explains the amount to pay, or the amount to be deducted. */
export function OfPayable({ partnerId, currency }: OfBalanceProps): JSX.Element {
  const parts = useBalanceParts(partnerId, currency);
  if (parts.failure?.status === 404) return <NoReasons />;
  return (
    <Loaded query={parts} skeleton={<Skeleton lines={4} />}>
      {(found) => (
        <OfCommissions
          partnerId={partnerId}
          narrowed={{ status: "approved", inPayout: "false", sort: "date", partnerId, currency }}
          equation={partsEquation(moneyLabels[found.amountCents < 0 ? "carried" : "payable"].toLowerCase(), found)}
          isEmpty={found.commissions === 0}
          entries={found.entries}
        />
      )}
    </Loaded>
  );
}

export function OfPending({ partnerId, currency }: OfBalanceProps): JSX.Element {
  const totals = useTotals({ partnerId });
  const partner = usePartner(partnerId);
  if (partner.failure?.status === 404) return <NoReasons />;
  return (
    <Loaded
      query={{ ...totals, data: partner.data && totals.data, failure: partner.failure ?? totals.failure }}
      skeleton={<Skeleton lines={4} />}
    >
      {(found) => {
        const amountCents = partner.data === undefined ? 0 : balanceIn(partner.data, currency).pendingCents;
        const { terms } = sumOf(found, "pending", currency);
        return (
          <OfCommissions
            partnerId={partnerId}
            narrowed={{ status: "pending", partnerId, currency }}
            equation={{ what: moneyLabels.pending.toLowerCase(), amountCents, currency, terms }}
          />
        );
      }}
    </Loaded>
  );
}

interface OfCommissionsProps {
  readonly partnerId: string;
  readonly narrowed: Narrowed;
  readonly equation: Equation;
  /** True if the amount has no commissions. */
  readonly isEmpty?: boolean;
  /** Entries that are part of the amount, but belong to none of the commissions. */
  readonly entries?: readonly StatementEntry[];
}

function OfCommissions({
  partnerId,
  narrowed,
  equation,
  isEmpty = false,
  entries = [],
}: OfCommissionsProps): JSX.Element | null {
  const { program } = useProgram();
  const { currency } = narrowed;
  const { cursor, pagination } = usePages();
  const partner = usePartner(partnerId).data;
  const hrefOf = useEntryAddress(partnerId, currency);
  const commissions = useReasonCommissions(narrowed, cursor);
  const pending = useReasonCommissions({ status: "pending", partnerId, currency }, undefined).data;
  const next = pending?.meta.nextCursor === null ? nextRelease(pending.data, program.timezone) : undefined;
  const rows = [
    ...(commissions.data?.data ?? []).map((row) => partnerRowOf(row, program)),
    ...entries.map(partnerRowOfEntry(currency)),
  ];
  if (partner === undefined) return null;
  return (
    <>
      <OfPartner partner={partner} />
      <Sum
        equation={equation}
        note={next}
        copied={partnerText({
          programName: program.name,
          equation,
          note: next,
          rows,
          hasMore: commissions.data?.meta.nextCursor != null || cursor !== undefined,
        })}
      >
        {!isEmpty && <ExportCommissions narrowed={narrowed} />}
        {entries.length > 0 && <ExportParts partnerId={partnerId} currency={currency} />}
      </Sum>
      {entries.length > 0 && <EntryRows entries={entries} currency={currency} hrefOf={hrefOf} />}
      {!isEmpty && <CommissionPages query={commissions} pagination={pagination} />}
    </>
  );
}

function ExportParts({ partnerId, currency }: OfBalanceProps): JSX.Element {
  const { program } = useProgram();
  return (
    <ExportButton
      title="Export the sum with bonuses and deductions"
      call={() =>
        api.programs[":programId"].partners[":partnerId"]["balance-parts"].$get({
          param: { ...paramOf(program), partnerId },
          query: { field: "payable", currency, format: "csv" },
        })
      }
    />
  );
}

export function OfPartner({ partner }: { readonly partner: PartnerWithBalances }): JSX.Element {
  return (
    <p class="breakable">
      <PartnerLink id={partner.id} name={partner.name} /> <code>{partner.code}</code>
    </p>
  );
}
