import type { PartnerId, PayoutId } from "#domain/ids.ts";
import { readBatch } from "#store/database.ts";
import { laterChanges } from "#store/reports/partner-statement.ts";
import { databaseAt, type Row } from "../../harness/database-client.ts";

/** A column for `laterSums`, of a query of payout lines `l`. */
export const paidEntry = `(
  select e.id from ledger_entries e where e.payout_line_id = l.id and e.kind = 'paid') as paid_entry`;

/** Returns, by line, the sum that the statement of its payment reports as changed later. Unpaid lines have none. */
export async function laterSums(url: string, lines: readonly Row[]): Promise<ReadonlyMap<Row, number>> {
  const paid = lines.filter(({ paid_entry: entry }) => entry !== null);
  const reads = paid.map(({ payout_id: payoutId, partner_id: partnerId, paid_entry: last }) =>
    laterChanges({ payoutId: payoutId as PayoutId, partnerId: partnerId as PartnerId, last: Number(last) }),
  );
  const found = await readBatch(databaseAt(url), Object.fromEntries(reads.entries()));
  return new Map(paid.map((line, i) => [line, Number(found[i]?.amountCents)]));
}
