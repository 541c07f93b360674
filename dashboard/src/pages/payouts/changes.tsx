import type { JSX } from "preact";
import type { LineChange } from "../../api/types.ts";
import { Money } from "../../components/numbers.tsx";
import { PartnerName } from "../../components/partner-name.tsx";
import { type Column, Table } from "../../components/table.tsx";
import type { Payout } from "./queries.ts";
import { changeText } from "./words.ts";

interface ChangesProps {
  readonly changes: readonly LineChange[];
  readonly payout: Pick<Payout, "currency" | "minimumCents">;
}

/** The differences between a draft's lines and the same lines computed now. */
export function Changes({ changes, payout: { currency, minimumCents } }: ChangesProps): JSX.Element {
  const money = (amountCents: number): JSX.Element => <Money amountCents={amountCents} currency={currency} />;
  const columns: Column<LineChange>[] = [
    { head: "Partner", cell: ({ name, partnerCode }) => <PartnerName name={name} code={partnerCode} /> },
    { head: "Before", isNumber: true, cell: ({ beforeCents }) => money(beforeCents) },
    { head: "Now", isNumber: true, cell: ({ afterCents }) => money(afterCents) },
    { head: "Why", cell: ({ reason }) => <span class="why">{changeText(reason, minimumCents)}</span> },
  ];
  return (
    <div class="payouts row-cards">
      <Table caption="Changed amounts" columns={columns} rows={changes} rowKey={({ partnerId }) => partnerId} />
    </div>
  );
}
