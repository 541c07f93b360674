import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { Badge } from "../../components/badge.tsx";
import { Button } from "../../components/button.tsx";
import { Money } from "../../components/numbers.tsx";
import { PartnerName } from "../../components/partner-name.tsx";
import { statementNumberOf } from "../../components/statement/statement-number.ts";
import { type Column, Table } from "../../components/table.tsx";
import { DayOf } from "../../components/time.tsx";
import { pluralize } from "../../format.ts";
import { maskedAccount, paymentMethodTitles } from "../../forms/payment-fields.tsx";
import { namedByCode } from "../../named-by-code.ts";
import { reasonsOf } from "../../reasons/reasons-address.ts";
import { WhyMoney } from "../../reasons/why-money.tsx";
import { useProgram } from "../../session.tsx";
import { addressWith, payoutCommissionsAddress, statementAddress } from "../../url.ts";
import { failLabel } from "./fail-label.ts";
import { FailLine } from "./fail-line.tsx";
import type { Line, PayoutWithLines } from "./queries.ts";
import { settlementWords } from "./words.ts";

interface LinesProps {
  readonly payout: PayoutWithLines;
}

const byAmount = (lines: readonly Line[]): readonly Line[] =>
  lines.toSorted((one, other) => other.amountCents - one.amountCents);

export function Lines({ payout }: LinesProps): JSX.Element | null {
  const { program, may } = useProgram();
  const [failing, setFailing] = useState<Line>();
  const { lines, currency, status, settledBy } = payout;
  const isByApi = settledBy === "api";
  const mayFail = may("admin") && (status === "paid" || (isByApi && status === "final"));
  const columns: Column<Line>[] = [
    { head: "Partner", cell: (line) => <Partner {...line} currency={currency} /> },
    ...(may("admin") && !isByApi
      ? [{ head: "Paid to", cell: (line: Line) => <PaidTo line={line} status={status} /> }]
      : []),
    ...(isByApi || (status === "draft" && lines.some(({ externalId }) => externalId !== null))
      ? [{ head: "Your ID", cell: (line: Line) => <OwnId {...line} /> }]
      : []),
    { head: "Includes", cell: (line) => <Contents line={line} payout={payout} /> },
    {
      head: "Amount",
      isNumber: true,
      cell: (line) => {
        const amount = (
          <WhyMoney
            amountCents={line.amountCents}
            currency={currency}
            of={reasonsOf("line", payout.id, line.partnerId)}
            what={namedByCode(line)}
          />
        );
        return line.failedAt === null ? amount : <s>{amount}</s>;
      },
    },
    {
      head: "Status",
      // Lines that are settled by API don't need payment details.
      cell: (line) => <LineStatus line={isByApi ? { ...line, detailsChangedAt: null } : line} status={status} />,
    },
    ...(mayFail
      ? [
          {
            head: "Actions",
            isNumber: true,
            cell: (line: Line) =>
              line.failedAt === null && (
                <Button
                  look="quiet"
                  label={`${failLabel(line)}: ${namedByCode(line)}`}
                  onClick={() => setFailing(line)}
                >
                  {failLabel(line)}
                </Button>
              ),
          },
        ]
      : []),
  ];
  if (lines.length === 0) return null;
  return (
    <div class="stack payouts row-cards">
      <div class="row spread">
        <h2>Lines</h2>
        {lines.some((line) => holdsCommissions(line, payout)) && (
          <a href={payoutCommissionsAddress(program.id, payout.id)}>View commissions</a>
        )}
      </div>
      <Table caption="Lines" columns={columns} rows={byAmount(lines)} rowKey={({ partnerId }) => partnerId} />
      {failing !== undefined && <FailLine payout={payout} line={failing} onClose={() => setFailing(undefined)} />}
    </div>
  );
}

function StatementOfLine({ line }: { readonly line: Line }): JSX.Element | null {
  const { program } = useProgram();
  const { partnerId, partnerCode, statementNumber, statementMailedAt } = line;
  if (statementNumber === null) return null;
  const number = statementNumberOf(partnerCode, statementNumber);
  return (
    <>
      <small>
        <a
          href={addressWith(statementAddress(program.id, partnerId), { number: String(statementNumber) })}
          aria-label={`Statement ${number}: ${namedByCode(line)}`}
        >
          Statement {number}
        </a>
      </small>
      {statementMailedAt !== null && <small>Mailed</small>}
      {line.failedAt !== null && <small>Issued before the payment came back</small>}
    </>
  );
}

/** True if the line's commissions belong to the payout. A draft, a canceled payout and a returned payment have none. */
const holdsCommissions = ({ commissions, failedAt }: Line, { status }: PayoutWithLines): boolean =>
  commissions > 0 && failedAt === null && (status === "final" || status === "paid");

/** The parts that add up to the line's amount. */
function Contents({ line, payout }: LinesProps & { readonly line: Line }): JSX.Element {
  const { program } = useProgram();
  const { partnerId, commissions, commissionsCents, adjustmentsCents, broughtForwardCents } = line;
  const count = pluralize(commissions, "commission");
  const others = [
    ["bonuses and deductions", adjustmentsCents],
    ["from earlier payouts", broughtForwardCents],
  ] as const;
  const parts = others.filter(([, amountCents]) => amountCents !== 0);
  return (
    <span class="why">
      {(commissions > 0 || parts.length === 0) && (
        <>
          {holdsCommissions(line, payout) ? (
            <a href={payoutCommissionsAddress(program.id, payout.id, partnerId)}>{count}</a>
          ) : (
            count
          )}{" "}
          <Money amountCents={commissionsCents} currency={payout.currency} />
        </>
      )}
      {parts.map(([label, amountCents], i) => (
        <span key={label}>
          {(i > 0 || commissions > 0) && <span class="soft"> · </span>}
          {label} <Money amountCents={amountCents} currency={payout.currency} />
        </span>
      ))}
    </span>
  );
}

export interface PartnerProps {
  readonly partnerId: number;
  readonly partnerCode: string;
  readonly name: string;
  readonly currency: string;
}

export function Partner({ partnerId, partnerCode, name, currency }: PartnerProps): JSX.Element {
  const { program } = useProgram();
  return <PartnerName name={name} code={partnerCode} href={statementAddress(program.id, partnerId, currency)} />;
}

function OwnId({ externalId, earlierExternalId }: Line): JSX.Element {
  const id = externalId ?? <span class="soft">None</span>;
  if (earlierExternalId === null) return <>{id}</>;
  return (
    <span class="two-lines">
      <span>{id}</span>
      <small class="no-way">before: {earlierExternalId.externalId ?? "none"}</small>
    </span>
  );
}

function PaidTo(props: LineStatusProps): JSX.Element {
  if (!props.line.flags?.includes("shared_account")) return <Account {...props} />;
  return (
    <span class="two-lines">
      <Account {...props} />
      <Badge tone="warn">Shared account</Badge>
    </span>
  );
}

/** An email address with a possible line break before the @. */
const Address = ({ of }: { readonly of: string }): JSX.Element => {
  const [name, host] = of.split("@");
  return (
    <>
      {name}
      <wbr />@{host}
    </>
  );
};

/** The line's payment details or email address, which may still change in a draft. */
function Account({ line, status }: LineStatusProps): JSX.Element {
  const { email, paymentMethod, paymentAccount, earlierAccount, paymentSetBy, paymentSetAt } = line;
  const isToPay = status === "draft" || status === "final";
  const address =
    email == null ? <span class={isToPay ? "no-way" : "soft"}>No email address</span> : <Address of={email} />;
  if (paymentMethod == null) return <>{address}</>;
  return (
    <span class="two-lines">
      <span>
        {paymentMethodTitles[paymentMethod]} {paymentAccount != null && <bdi>{maskedAccount(paymentAccount)}</bdi>}
      </span>
      {earlierAccount != null && (
        <small class="no-way">
          before: {paymentMethodTitles[earlierAccount.method]} <bdi>{maskedAccount(earlierAccount.last4)}</bdi>
        </small>
      )}
      {paymentSetAt != null && (
        <small>
          Set by <bdi>{paymentSetBy == null ? "a deleted account" : <Address of={paymentSetBy} />}</bdi> on{" "}
          <DayOf at={paymentSetAt} />
        </small>
      )}
    </span>
  );
}

interface LineStatusProps {
  readonly line: Line;
  readonly status: PayoutWithLines["status"];
}

function LineStatus({ line, status }: LineStatusProps): JSX.Element {
  const { detailsChangedAt, failedAt, failureReason, partnerNote, settlement } = line;
  if (failedAt !== null) {
    return (
      <span class="two-lines">
        <Badge tone="bad">{line.statementNumber === null && settlement !== null ? "Given back" : "Failed"}</Badge>
        <StatementOfLine line={line} />
        {line.isLate && <small>Settled later, so deducted from the balance</small>}
        <SettlementOf line={line} />
        <small class="clipped" title={failureReason ?? undefined}>
          {failureReason}
        </small>
        {partnerNote !== null && (
          <small class="clipped" title={partnerNote}>
            Told the partner: {partnerNote}
          </small>
        )}
      </span>
    );
  }
  if (settlement !== null) {
    const [label, tone] = settlementWords[settlement];
    return (
      <span class="two-lines">
        <Badge tone={tone}>{label}</Badge>
        <StatementOfLine line={line} />
        <SettlementOf line={line} />
      </span>
    );
  }
  if (detailsChangedAt !== null && (status === "draft" || status === "final")) {
    return (
      <span class="two-lines">
        <Badge tone="warn">Details changed</Badge>
        <small>
          on <DayOf at={detailsChangedAt} />
        </small>
      </span>
    );
  }
  if (status === "paid") {
    return (
      <span class="two-lines">
        <Badge tone="good">Paid</Badge>
        <StatementOfLine line={line} />
      </span>
    );
  }
  return <Badge>{status === "canceled" ? "Canceled" : "Not paid yet"}</Badge>;
}

function SettlementOf({ line: { settlementId, settledAt } }: { readonly line: Line }): JSX.Element | null {
  if (settlementId === null || settledAt === null) return null;
  return (
    <small class="clipped" title={settlementId}>
      <bdi>{settlementId}</bdi> on <DayOf at={settledAt} />
    </small>
  );
}
