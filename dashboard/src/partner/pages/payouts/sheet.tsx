import { Fragment, type JSX } from "preact";
import { Money } from "../../../components/numbers.tsx";
import { Table } from "../../../components/table.tsx";
import { formatDate } from "../../../format.ts";
import { zoneTitle } from "../../../format-time.ts";
import { todayIn } from "../../../sale-period.ts";
import { usePartner } from "../../access.tsx";
import type { Statement } from "./statement-tab.tsx";

type Data = Statement["data"];
type Entry = Data["entries"][number];

/** Prints on A4. */
export function Sheet({ statement: { data, meta } }: { readonly statement: Statement }): JSX.Element {
  const { partner } = usePartner();
  return (
    <article class="card sheet" aria-label="Statement">
      <header>
        <p class="breakable issuer">
          <bdi>{partner.programName}</bdi>
        </p>
        <h2 class="breakable">
          Statement for <bdi>{data.name}</bdi>
        </h2>
        <dl class="facts about">
          <dt>Partner code</dt>
          <dd>
            <code class="breakable">{data.partnerCode}</code>
          </dd>
          <dt>Period</dt>
          <dd>
            {formatDate(data.from)} – {formatDate(data.to)}
          </dd>
          <dt>Currency</dt>
          <dd>{data.currency}</dd>
          <dt>Date of issue</dt>
          <dd>{formatDate(todayIn(meta.timezone))}</dd>
        </dl>
      </header>
      <Lines data={data} />
      <Open data={data} />
      <p class="soft">Entries are listed by the day on which they were posted ({zoneTitle(meta.timezone)}).</p>
    </article>
  );
}

interface Line {
  readonly key: string;
  readonly day: string;
  /** Or the title of an opening or closing balance. */
  readonly of: Entry | string;
  readonly balanceCents: number;
}

function Lines({ data }: { readonly data: Data }): JSX.Element {
  const money = (amountCents: number) => <Money amountCents={amountCents} currency={data.currency} />;
  return (
    <div class="row-cards">
      <Table<Line>
        caption="Entries"
        columns={[
          { head: "Posted", cell: ({ day }) => formatDate(day) },
          { head: "Description", cell: ({ of }) => <Description of={of} /> },
          { head: "Amount", isNumber: true, cell: ({ of }) => typeof of !== "string" && money(of.amountCents) },
          { head: "Balance", isNumber: true, cell: ({ balanceCents }) => money(balanceCents) },
        ]}
        rows={linesOf(data)}
        rowKey={({ key }) => key}
        rowClass={({ of }) => (typeof of === "string" ? "edge" : undefined)}
      />
    </div>
  );
}

function linesOf({ entries, from, to, openingCents, closingCents }: Data): readonly Line[] {
  let balanceCents = openingCents;
  return [
    { key: "opening", day: from, of: "Opening balance", balanceCents },
    ...entries.map((entry, i) => {
      balanceCents += entry.amountCents;
      return { key: String(i), day: entry.postedOn, of: entry, balanceCents };
    }),
    { key: "closing", day: to, of: "Closing balance", balanceCents: closingCents },
  ];
}

function Description({ of }: Pick<Line, "of">): JSX.Element {
  if (typeof of === "string") return <>{of}</>;
  return (
    <>
      <bdi>{entryText(of)}</bdi>
      {of.underReview && <p class="soft note">Under review</p>}
      {of.partnerNote !== null && (
        <p class="soft note">
          <bdi>{of.partnerNote}</bdi>
        </p>
      )}
    </>
  );
}

function entryText({ kind, amountCents, ref, payoutReference }: Entry): string {
  const commission = `commission ${ref ?? ""}`;
  switch (kind) {
    case "earned":
      return `Earned, ${commission}`;
    case "reversed":
      return `Refund to the customer, ${commission}`;
    case "restored":
      return `Canceled refund, ${commission}`;
    case "rejected":
      return `Declined, ${commission}`;
    case "moved":
      return amountCents < 0 ? `Credited to another partner, ${commission}` : `Credited to you, ${commission}`;
    case "adjusted":
      return amountCents < 0 ? "Deduction" : "Bonus";
    case "paid":
      return `Payment, reference ${payoutReference ?? ""}`;
    case "returned":
      return `Returned payment, reference ${payoutReference ?? ""}`;
  }
}

/** Only known of a statement that ends today. */
function Open({ data }: { readonly data: Data }): JSX.Element | null {
  const { currency, closingCents, pendingCents = 0, payableCents, inPayoutCents = 0 } = data;
  if (payableCents === undefined) return null;
  const carriedCents = closingCents - pendingCents - payableCents - inPayoutCents;
  const parts = [
    ["On hold", pendingCents],
    ["To be paid", payableCents],
    ["Being paid", inPayoutCents],
    ...(carriedCents === 0 ? [] : ([["To be deducted", carriedCents]] as const)),
  ] as const;
  return (
    <dl class="facts open">
      {parts.map(([title, amountCents]) => (
        <Fragment key={title}>
          <dt>{title}</dt>
          <dd>
            <Money amountCents={amountCents} currency={currency} />
          </dd>
        </Fragment>
      ))}
    </dl>
  );
}
