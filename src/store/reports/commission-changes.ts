import { and, asc, eq, sql } from "drizzle-orm";
import type { CommissionId, PartnerId } from "#domain/ids.ts";
import { type Database, readBatch } from "../database.ts";
import { textOfNote } from "../notes.ts";
import { ledgerEntries as entries } from "../schema/commissions.ts";
import { refunds } from "../schema/refunds.ts";
import { type Compiler, type RowOf, readAll } from "../statement.ts";
import { noteOfRejection } from "./partner-statement.ts";

const given = sql.placeholder;

/** A member corrects a sale by refunding the rest of it and recording it again. */
const isOfCorrection = sql<boolean>`exists (
  select 1 from sales s join sales k on k.corrected_sale_id = coalesce(s.corrected_sale_id, s.id)
  where s.id = ${refunds.saleId} and ${refunds.refundId} = 'correction-' || k.correction)`.mapWith(Boolean);

const selectChanges = (db: Compiler) =>
  db
    .select({
      commissionId: sql<CommissionId>`${entries.commissionId}`,
      kind: entries.kind,
      amountCents: entries.amountCents,
      day: entries.day,
      isOfCorrection,
      partnerNote: textOfNote(sql`case ${entries.kind} when 'rejected' then ${noteOfRejection} end`),
    })
    .from(entries)
    .leftJoin(refunds, eq(refunds.id, entries.refundId));
export type CommissionChange = RowOf<typeof selectChanges>;

const changes = readAll<{ partnerId: PartnerId; ids: string }, CommissionChange>((db) =>
  selectChanges(db)
    .where(
      and(
        sql`${entries.commissionId} in (select value from json_each(${given("ids")}))`,
        eq(entries.partnerId, given("partnerId")),
      ),
    )
    .orderBy(asc(entries.id)),
);

/** Entries of these commissions that are the partner's, in the order of posting. */
export async function readCommissionChanges(
  database: Database,
  partnerId: PartnerId,
  ids: readonly CommissionId[],
): Promise<readonly CommissionChange[]> {
  return (await readBatch(database, { found: changes({ partnerId, ids: JSON.stringify(ids) }) })).found;
}
