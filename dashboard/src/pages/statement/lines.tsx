import type { JSX } from "preact";
import { Money } from "../../components/numbers.tsx";
import { Table } from "../../components/table.tsx";
import { explainAddress } from "../../explain-address.ts";
import { formatDate } from "../../format.ts";
import { useProgram } from "../../session.tsx";
import { entryText } from "./entry-text.ts";
import type { Statement, StatementEntry } from "./queries.ts";

interface Line {
  readonly id: number | string;
  readonly day: string;
  /** Or the title of an opening or closing balance. */
  readonly of: StatementEntry | string;
  readonly balanceCents: number;
}

export function StatementLines({ statement }: { readonly statement: Statement["data"] }): JSX.Element {
  const { currency } = statement;
  const money = (amountCents: number) => <Money amountCents={amountCents} currency={currency} />;
  return (
    <div class="row-cards">
      <Table<Line>
        caption="Entries"
        columns={[
          { head: "Posted", cell: ({ day }) => formatDate(day) },
          { head: "Description", cell: (line) => <Description of={line.of} /> },
          { head: "Amount", isNumber: true, cell: ({ of }) => typeof of !== "string" && money(of.amountCents) },
          { head: "Balance", isNumber: true, cell: ({ balanceCents }) => money(balanceCents) },
        ]}
        rows={linesOf(statement)}
        rowKey={({ id }) => id}
        rowClass={({ of }) => (typeof of === "string" ? "edge" : undefined)}
      />
    </div>
  );
}

function linesOf({ entries, from, to, openingCents, closingCents }: Statement["data"]): readonly Line[] {
  let balanceCents = openingCents;
  return [
    { id: "opening", day: from, of: "Opening balance", balanceCents },
    ...entries.map((entry) => {
      balanceCents += entry.amountCents;
      return { id: entry.id, day: entry.postedOn, of: entry, balanceCents };
    }),
    { id: "closing", day: to, of: "Closing balance", balanceCents: closingCents },
  ];
}

function Description({ of }: Pick<Line, "of">): JSX.Element {
  const { program } = useProgram();
  if (typeof of === "string") return <>{of}</>;
  const text = <bdi>{entryText(of)}</bdi>;
  return (
    <>
      {of.commissionId === null ? (
        text
      ) : (
        <a href={explainAddress(program.id, { commissionId: String(of.commissionId) })}>{text}</a>
      )}
      {of.partnerNote !== null && (
        <p class="soft note">
          <bdi>{of.partnerNote}</bdi>
        </p>
      )}
    </>
  );
}
