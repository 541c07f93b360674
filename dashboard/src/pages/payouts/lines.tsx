import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { Badge } from "../../components/badge.tsx";
import { Button } from "../../components/button.tsx";
import { Count, Money } from "../../components/numbers.tsx";
import { type Column, Table } from "../../components/table.tsx";
import { DayOf } from "../../components/time.tsx";
import { useProgram } from "../../session.tsx";
import { statementAddress } from "../../url.ts";
import { FailLine } from "./fail-line.tsx";
import type { Line, PayoutWithLines } from "./queries.ts";
import { skipWords } from "./words.ts";

interface LinesProps {
  readonly payout: PayoutWithLines;
}

const byAmount = (lines: readonly Line[]): readonly Line[] =>
  lines.toSorted((one, other) => other.amountCents - one.amountCents);

export function Lines({ payout }: LinesProps): JSX.Element | null {
  const { may } = useProgram();
  const [failing, setFailing] = useState<Line>();
  const { lines, currency, status } = payout;
  const columns: Column<Line>[] = [
    { head: "Partner", cell: (line) => <Partner {...line} currency={currency} /> },
    ...(may("admin") && status !== "draft"
      ? [{ head: "Email", cell: ({ email }: Line) => email ?? <span class="soft">None</span> }]
      : []),
    { head: "Commissions", isNumber: true, cell: ({ commissions }) => <Count of={commissions} /> },
    {
      head: "Amount",
      isNumber: true,
      cell: ({ amountCents, failedAt }) => {
        const amount = <Money amountCents={amountCents} currency={currency} />;
        return failedAt === null ? amount : <s>{amount}</s>;
      },
    },
    { head: "Status", cell: (line) => <LineStatus line={line} status={status} /> },
    ...(may("admin") && status === "paid"
      ? [
          {
            head: "Actions",
            isNumber: true,
            cell: (line: Line) =>
              line.failedAt === null && (
                <Button look="quiet" label={`Mark as failed: ${line.name}`} onClick={() => setFailing(line)}>
                  Mark as failed
                </Button>
              ),
          },
        ]
      : []),
  ];
  if (lines.length === 0) return null;
  return (
    <div class="stack payouts row-cards">
      <h2>Lines</h2>
      <Table caption="Lines" columns={columns} rows={byAmount(lines)} rowKey={({ partnerId }) => partnerId} />
      {failing !== undefined && <FailLine payout={payout} line={failing} onClose={() => setFailing(undefined)} />}
    </div>
  );
}

interface PartnerProps {
  readonly partnerId: number;
  readonly name: string;
  readonly currency: string;
}

function Partner({ partnerId, name, currency }: PartnerProps): JSX.Element {
  const { program } = useProgram();
  return (
    <a class="plain-link clipped" title={name} href={statementAddress(program.id, partnerId, currency)}>
      <bdi>{name}</bdi>
    </a>
  );
}

interface LineStatusProps {
  readonly line: Line;
  readonly status: PayoutWithLines["status"];
}

function LineStatus({ line, status }: LineStatusProps): JSX.Element {
  const { emailChangedAt, failedAt, failureReason } = line;
  if (failedAt !== null) {
    return (
      <span class="two-lines">
        <Badge tone="bad">Failed</Badge>
        <small class="clipped" title={failureReason ?? undefined}>
          {failureReason}
        </small>
      </span>
    );
  }
  if (emailChangedAt !== null && (status === "draft" || status === "final")) {
    return (
      <span class="two-lines">
        <Badge tone="warn">Email changed</Badge>
        <small>
          on <DayOf at={emailChangedAt} />
        </small>
      </span>
    );
  }
  if (status === "paid" || status === "confirming") return <Badge tone="good">Paid</Badge>;
  return <Badge>{status === "canceled" ? "Canceled" : "Not paid yet"}</Badge>;
}

export function Skipped({ payout: { skipped, currency } }: LinesProps): JSX.Element | null {
  const columns: Column<(typeof skipped)[number]>[] = [
    { head: "Partner", cell: (line) => <Partner {...line} currency={currency} /> },
    {
      head: "Balance",
      isNumber: true,
      cell: ({ amountCents }) => <Money amountCents={amountCents} currency={currency} />,
    },
    { head: "Why", cell: ({ reason }) => <span class="why">{skipWords[reason]}</span> },
  ];
  if (skipped.length === 0) return null;
  return (
    <div class="stack payouts row-cards">
      <h2>Left out</h2>
      <Table caption="Left out" columns={columns} rows={skipped} rowKey={({ partnerId }) => partnerId} />
    </div>
  );
}
