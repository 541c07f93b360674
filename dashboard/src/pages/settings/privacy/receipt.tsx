import "./privacy.css";
import type { JSX } from "preact";
import { Badge } from "../../../components/badge.tsx";
import { Card } from "../../../components/card.tsx";
import { CopyButton } from "../../../components/copy.tsx";
import { Notice } from "../../../components/notice.tsx";
import { Count, Money } from "../../../components/numbers.tsx";
import { Empty, Loaded, Skeleton } from "../../../components/states.tsx";
import { Table } from "../../../components/table.tsx";
import { Instant } from "../../../components/time.tsx";
import { currencyName, formatCount } from "../../../format.ts";
import { useProgram } from "../../../session.tsx";
import { ReadOnlyFacts } from "../read-only-facts.tsx";
import { type Receipt, useReceipt } from "./queries.ts";
import { isUnchanged, type Line, linesOf, rowTitles } from "./sums.ts";

export function ErasureReceipt({ id }: { readonly id: string }): JSX.Element {
  const { program } = useProgram();
  const receipt = useReceipt(program, id);
  if (receipt.failure?.status === 404)
    return <Empty title="Receipt not found">This program has no receipt {id}. Check the ID.</Empty>;
  return (
    <Loaded query={receipt} skeleton={<Skeleton lines={12} />}>
      {(found) => <Found receipt={found} />}
    </Loaded>
  );
}

const subjectTitles: Readonly<Record<Receipt["subject"], string>> = {
  customer: "Customer erased",
  click: "Click erased",
  partner: "Partner erased",
};

const Found = ({ receipt }: { readonly receipt: Receipt }): JSX.Element => {
  const { id, subject, requestedAt, erasedAt, rows } = receipt;
  return (
    <Card
      title={erasedAt === null ? "Erasing…" : subjectTitles[subject]}
      actions={<CopyButton text={id} what="receipt ID" title="Copy ID" />}
    >
      {erasedAt === null && <Notice look="plain">{progressOf(receipt)} You can leave this page.</Notice>}
      <ReadOnlyFacts
        facts={[
          ["Receipt ID", <span class="breakable">{id}</span>],
          ["Requested", <Instant at={requestedAt} />],
          ["Erased", erasedAt === null ? "Not yet" : <Instant at={erasedAt} />],
          ...Object.entries(rows).map(([name, count]) => [rowTitles[name] ?? name, <Count of={count} />] as const),
        ]}
      />
      <Sums title="Sales of the customer" receipt={receipt} kind="sales" />
      <Sums title="Balances of all partners" receipt={receipt} kind="balances" />
    </Card>
  );
};

/** Progress in erased sales: sales are most of the rows, and are erased first. */
function progressOf({ rows, before }: Receipt): string {
  const all = before.sales.reduce((sum, { sales }) => sum + sales, 0);
  return `${formatCount(rows.sales ?? 0)} of ${formatCount(all)} sales are erased so far.`;
}

interface SumsProps {
  readonly title: string;
  readonly receipt: Receipt;
  readonly kind: "sales" | "balances";
}

function Sums({ title, receipt: { before, after }, kind }: SumsProps): JSX.Element | null {
  const lines = linesOf(before[kind], after?.[kind]);
  if (lines.length === 0) return null;
  const cell = ({ isCount, currency }: Line, value: number | undefined) => {
    if (value === undefined) return "–";
    return isCount ? <Count of={value} /> : <Money amountCents={value} currency={currency} />;
  };
  return (
    <section class="sums-of row-cards">
      <header class="row spread">
        <h3>{title}</h3>
        {after !== null && (
          <Badge tone={isUnchanged(lines) ? "good" : "plain"}>{isUnchanged(lines) ? "Unchanged" : "Changed"}</Badge>
        )}
      </header>
      {after !== null && !isUnchanged(lines) && (
        <p class="soft">The erasure took several steps. Other calls between the steps changed these amounts.</p>
      )}
      <Table
        caption={title}
        rows={lines}
        rowKey={({ title: name, currency }) => `${name} ${currency}`}
        columns={[
          { head: "Sum", cell: ({ title: name, currency }) => `${name} (${currencyName(currency)})` },
          { head: "Before", isNumber: true, cell: (line) => cell(line, line.before) },
          { head: "After", isNumber: true, cell: (line) => cell(line, line.after) },
        ]}
      />
    </section>
  );
}
