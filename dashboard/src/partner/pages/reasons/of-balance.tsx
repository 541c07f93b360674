import type { JSX } from "preact";
import { take } from "../../../api/client.ts";
import { ExportButton } from "../../../components/export-button.tsx";
import { Money } from "../../../components/numbers.tsx";
import { Loaded, Skeleton } from "../../../components/states.tsx";
import { formatDate } from "../../../format.ts";
import { EntryRows } from "../../../reasons/entry-rows.tsx";
import { NoReasons } from "../../../reasons/host.tsx";
import { OfEntries } from "../../../reasons/of-statement.tsx";
import { Rows, Sum, usePages } from "../../../reasons/parts.tsx";
import { noBalance, partsEquation, paymentsOf, termsOfEntries } from "../../../reasons/statement-reasons.ts";
import { usePartner, usePartnerQuery } from "../../access.tsx";
import { partnerApi } from "../../client.ts";
import { type Commission, commissionsRoute, useListed, type Wanted } from "../commissions/queries.ts";
import { changeTexts, statusText } from "../commissions/words.ts";
import { comesWhen } from "../overview/comes-when.ts";
import { useOverview } from "../overview/queries.ts";
import { useStatement } from "../payouts/queries.ts";
import { ExportStatement } from "./of-statement.tsx";

const titles = {
  pending: "on hold",
  payable: "to be paid",
  inPayout: "being paid",
  paid: "paid so far",
} as const;
type Field = keyof typeof titles;
const isField = (name: string): name is Field => name in titles;

interface OfBalanceProps {
  readonly currency: string;
}

export function OfBalance({ field, currency }: OfBalanceProps & { readonly field: string }): JSX.Element {
  if (!isField(field)) return <NoReasons />;
  if (field === "paid") return <OfPaid currency={currency} />;
  return field === "pending" ? <OfPending currency={currency} /> : <OfParts field={field} currency={currency} />;
}

function useBalance(currency: string) {
  const overview = useOverview("90d").data;
  const balances = overview?.data.balances ?? [];
  return { overview, balance: balances.find((each) => each.currency === currency) ?? { ...noBalance, currency } };
}

function OfPaid({ currency }: OfBalanceProps): JSX.Element {
  const { balance } = useBalance(currency);
  return (
    <Loaded query={useStatement({ currency })} skeleton={<Skeleton lines={6} />}>
      {(found) => {
        const entries = paymentsOf(found.data);
        const terms = termsOfEntries(entries);
        const equation = { what: titles.paid, amountCents: balance.paidCents, currency, terms };
        return (
          <OfEntries statement={found} equation={equation} entries={entries}>
            <ExportStatement filters={{ currency }} />
          </OfEntries>
        );
      }}
    </Loaded>
  );
}

function OfPending({ currency }: OfBalanceProps): JSX.Element {
  const { pendingCents: amountCents } = useBalance(currency).balance;
  const query = { status: "pending", currency } as const;
  return (
    <>
      <Sum equation={{ what: titles.pending, amountCents, currency, terms: [] }}>
        <ExportOwn query={query} />
      </Sum>
      <OwnRows query={query} />
    </>
  );
}

const partsRoute = () => partnerApi.programs[":programId"].partners[":partnerId"]["balance-parts"];

interface OfPartsProps extends OfBalanceProps {
  readonly field: "payable" | "inPayout";
}

function OfParts({ field, currency }: OfPartsProps): JSX.Element {
  const { overview, balance } = useBalance(currency);
  const { param, view, partner } = usePartner();
  const asked = { field, currency };
  const parts = usePartnerQuery("balance parts", asked, (call, init) => take(partsRoute().$get(call, init)));
  const next = overview?.data.nextPayout;
  const due =
    overview !== undefined && next?.currency === currency
      ? comesWhen({ next, balance, today: overview.meta.dateTo, isPaused: partner.isPaused })
      : undefined;
  const note = field === "payable" ? due : "Refunds since the payout was finalized are deducted from the next one.";
  const query = { status: "approved", inPayout: field === "payable" ? "false" : "true", currency } as const;
  return (
    <Loaded query={parts} skeleton={<Skeleton lines={6} />}>
      {({ data }) => {
        const hasCommissions = data.commissions > 0;
        const { entries } = data;
        return (
          <>
            <Sum equation={partsEquation(data.amountCents < 0 ? "to be deducted" : titles[field], data)} note={note}>
              <ExportButton
                title="Export the sum with bonuses and deductions"
                call={() => partsRoute().$get({ param, query: { ...asked, ...view, format: "csv" } })}
              />
              {hasCommissions && <ExportOwn query={query} />}
            </Sum>
            {entries.length > 0 && <EntryRows entries={entries} currency={currency} hrefOf={undefined} />}
            {hasCommissions && <OwnRows query={query} />}
          </>
        );
      }}
    </Loaded>
  );
}

interface OwnRowsProps {
  readonly query: Wanted;
}

function ExportOwn({ query }: OwnRowsProps): JSX.Element {
  const { param, view } = usePartner();
  return (
    <ExportButton
      title="Export these commissions"
      call={() => commissionsRoute().$get({ param, query: { ...query, ...view, format: "csv" } })}
    />
  );
}

/** Rows of the partner's commissions, each with its changes. */
function OwnRows({ query }: OwnRowsProps): JSX.Element {
  const { cursor, pagination } = usePages();
  return (
    <Loaded query={useListed({ ...query, ...(cursor && { cursor }) })} skeleton={<Skeleton lines={6} />}>
      {({ data, meta }) => (
        <>
          <Rows label="Commissions" rows={data.map(rowOf)} />
          {pagination(meta.nextCursor)}
        </>
      )}
    </Loaded>
  );
}

const rowOf = (commission: Commission) => ({
  key: commission.ref,
  title: commission.ref,
  detail: <Detail commission={commission} />,
  amount: <Money amountCents={commission.amountCents} currency={commission.currency} />,
});

/** Everything that explains a commission to its partner. */
function Detail({ commission }: { readonly commission: Commission }): JSX.Element {
  const { date, currency, changes, partnerNote } = commission;
  const { title, detail } = statusText(commission);
  return (
    <>
      Sale of {formatDate(date)} · {title}
      {detail !== undefined && ` ${detail}`}
      {changes.length > 1 &&
        changes.map((change, i) => (
          <span key={i}>
            {" "}
            · {changeTexts[change.kind]} <Money amountCents={change.amountCents} currency={currency} />
          </span>
        ))}
      {partnerNote !== null && (
        <>
          {" "}
          · <bdi>{partnerNote}</bdi>
        </>
      )}
    </>
  );
}
