import type { JSX } from "preact";
import { dayIn } from "#domain/calendar.ts";
import { type PartnerWithBalances, usePartner } from "../../api/partners.ts";
import { Loaded, Skeleton } from "../../components/states.tsx";
import { formatDate, formatMoney, pluralize } from "../../format.ts";
import { moneyLabels } from "../../outcome-labels.ts";
import { type Equation, termsOf } from "../../reasons/equation.ts";
import { NoReasons } from "../../reasons/host.tsx";
import { partnerText } from "../../reasons/partner-text.ts";
import { Sum, usePages } from "../../reasons/parts.tsx";
import { noBalance } from "../../reasons/statement-reasons.ts";
import { useProgram } from "../../session.tsx";
import { partnerAddress } from "../../url.ts";
import { type Commission, type Total, useTotals } from "../commissions/queries.ts";
import { CommissionRows, ExportCommissions, partnerRowOf, useReasonCommissions } from "./commission-rows.tsx";

type Balance = PartnerWithBalances["balances"][number];

/** A partner's balance in a currency; all amounts are 0 if nothing was earned in it yet. */
export const balanceIn = ({ balances }: PartnerWithBalances, currency: string): Balance =>
  balances.find((each) => each.currency === currency) ?? { ...noBalance, currency };

interface OfBalanceProps {
  readonly partnerId: string;
  readonly currency: string;
}

/** The sum of a status: the commissions' amounts before refunds, and what refunds and corrections have taken since. */
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
 * Explains the payable amount: approved commissions, less those in payouts, plus amounts that belong to no commission.
 */
export function payableEquation(balance: Balance, totals: readonly Total[]): Equation {
  const { payableCents, carriedCents, inPayoutCents, currency } = balance;
  const amountCents = payableCents + carriedCents;
  const approved = sumOf(totals, "approved", currency);
  return {
    what: carriedCents < 0 ? moneyLabels.carried.toLowerCase() : moneyLabels.payable.toLowerCase(),
    amountCents,
    currency,
    terms: [
      ...approved.terms,
      ...termsOf(
        ["in payouts", -inPayoutCents],
        ["bonuses, deductions, and refunds after payment", amountCents + inPayoutCents - approved.amountCents],
      ),
    ],
  };
}

/** The next release, such as "Next €34.68 on 2 Dec 2026". Undefined unless all commissions on hold are known. */
export function nextRelease(pending: readonly Commission[], timezone: string): string | undefined {
  const timed = pending.filter(({ held, unconfirmed, holdUntil }) => !held && !unconfirmed && holdUntil !== null);
  const days = Map.groupBy(timed, ({ holdUntil }) => dayIn(timezone, Date.parse(holdUntil ?? "")));
  const [first] = [...days].toSorted(([one], [other]) => one.localeCompare(other));
  const currency = timed[0]?.currency;
  if (first === undefined || currency === undefined) return undefined;
  const cents = first[1].reduce((sum, { amountCents }) => sum + amountCents, 0);
  return `Next ${formatMoney(cents, currency)} on ${formatDate(first[0])}.`;
}

export function OfPayable({ partnerId, currency }: OfBalanceProps): JSX.Element {
  return <OfCommissions partnerId={partnerId} currency={currency} status="approved" equationOf={payableEquation} />;
}

const pendingEquation = ({ pendingCents, currency }: Balance, totals: readonly Total[]): Equation => ({
  what: moneyLabels.pending.toLowerCase(),
  amountCents: pendingCents,
  currency,
  terms: sumOf(totals, "pending", currency).terms,
});

export function OfPending({ partnerId, currency }: OfBalanceProps): JSX.Element {
  return <OfCommissions partnerId={partnerId} currency={currency} status="pending" equationOf={pendingEquation} />;
}

interface OfCommissionsProps extends OfBalanceProps {
  readonly status: "pending" | "approved";
  readonly equationOf: (balance: Balance, totals: readonly Total[]) => Equation;
}

function OfCommissions({ partnerId, currency, status, equationOf }: OfCommissionsProps): JSX.Element {
  const { program } = useProgram();
  const { cursor, pagination } = usePages();
  const partner = usePartner(partnerId);
  const totals = useTotals({ partnerId });
  const narrowed = { status, partnerId, currency } as const;
  const commissions = useReasonCommissions(narrowed, cursor);
  const pending = useReasonCommissions({ ...narrowed, status: "pending" }, undefined).data;
  const next = pending?.meta.nextCursor === null ? nextRelease(pending.data, program.timezone) : undefined;
  const read = { ...partner, data: partner.data && totals.data && { partner: partner.data, totals: totals.data } };
  if (partner.failure?.status === 404) return <NoReasons />;
  return (
    <Loaded query={{ ...read, failure: partner.failure ?? totals.failure }} skeleton={<Skeleton lines={4} />}>
      {(found) => {
        const equation = equationOf(balanceIn(found.partner, currency), found.totals);
        const rows = commissions.data?.data ?? [];
        return (
          <>
            <OfPartner partner={found.partner} />
            <Sum
              equation={equation}
              note={next}
              copied={partnerText({
                programName: program.name,
                equation,
                note: next,
                rows: rows.map((row) => partnerRowOf(row, program)),
                hasMore: commissions.data?.meta.nextCursor != null || cursor !== undefined,
              })}
            >
              <ExportCommissions narrowed={narrowed} />
            </Sum>
            <Loaded query={commissions} skeleton={<Skeleton lines={6} />}>
              {(list) =>
                list && (
                  <>
                    <CommissionRows commissions={list.data} />
                    {pagination(list.meta.nextCursor)}
                  </>
                )
              }
            </Loaded>
          </>
        );
      }}
    </Loaded>
  );
}

export function OfPartner({ partner }: { readonly partner: PartnerWithBalances }): JSX.Element {
  const { program } = useProgram();
  return (
    <p class="breakable">
      <a href={partnerAddress(program.id, partner.id)}>
        <bdi>{partner.name}</bdi>
      </a>{" "}
      <code>{partner.code}</code>
    </p>
  );
}
