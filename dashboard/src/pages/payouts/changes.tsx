import type { JSX } from "preact";
import { Money } from "../../components/numbers.tsx";
import { type Column, Table } from "../../components/table.tsx";
import type { PayoutWithLines } from "./queries.ts";
import { changeWords } from "./words.ts";

type Change = PayoutWithLines["changes"][number];

/** The differences between the lines that the user saw and those computed since. */
export function Changes({ payout: { changes, lines, skipped, currency } }: { readonly payout: PayoutWithLines }) {
  const names = new Map([...lines, ...skipped].map(({ partnerId, name }) => [partnerId, name]));
  const money = (amountCents: number): JSX.Element => <Money amountCents={amountCents} currency={currency} />;
  const columns: Column<Change>[] = [
    { head: "Partner", cell: ({ partnerId }) => <bdi>{names.get(partnerId) ?? `Partner ${partnerId}`}</bdi> },
    { head: "Before", isNumber: true, cell: ({ beforeCents }) => money(beforeCents) },
    { head: "Now", isNumber: true, cell: ({ afterCents }) => money(afterCents) },
    { head: "Why", cell: ({ reason }) => changeWords[reason] },
  ];
  return (
    <div class="payouts">
      <Table caption="Changed amounts" columns={columns} rows={changes} rowKey={({ partnerId }) => partnerId} />
    </div>
  );
}
