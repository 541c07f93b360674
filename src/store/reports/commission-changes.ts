import { and, asc, eq, sql } from "drizzle-orm";
import type { CommissionId, PartnerId } from "#domain/ids.ts";
import { type Database, readBatch } from "../database.ts";
import { textOfNote } from "../notes.ts";
import { isOfCorrection } from "../refunds.ts";
import { commissions, ledgerEntries as entries } from "../schema/commissions.ts";
import { refunds } from "../schema/refunds.ts";
import { isHeld } from "../signals.ts";
import { type Compiler, given, type RowOf, readAll } from "../statement.ts";
import { noteOfHold, noteOfRejection } from "./partner-statement.ts";

const selectChanges = (db: Compiler) =>
  db
    .select({
      commissionId: sql<CommissionId>`${entries.commissionId}`,
      kind: entries.kind,
      amountCents: entries.amountCents,
      day: entries.day,
      isOfCorrection,
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

/**
 * The note on each rejected commission, and the note on the current manual hold of each pending commission. Read by
 * commission, because a rejected commission of amount 0 has no ledger entry.
 */
const notes = readAll<{ partnerId: PartnerId; ids: string }, { id: CommissionId; partnerNote: string | null }>((db) =>
  db
    .select({
      id: commissions.id,
      partnerNote: textOfNote(
        sql`iif(${commissions.status} = 'rejected', ${noteOfRejection(commissions.programId, commissions.id)},
          ${noteOfHold(commissions.programId, commissions.id)})`,
      ).as("partner_note"),
    })
    .from(commissions)
    .where(
      and(
        sql`${commissions.id} in (select value from json_each(${given("ids")}))`,
        eq(commissions.partnerId, given("partnerId")),
        sql`(${commissions.status} = 'rejected' or ${isHeld})`,
      ),
    ),
);

export interface CommissionChanges {
  /** Ledger entries in the order of posting. */
  readonly changes: readonly CommissionChange[];
  /** Notes on rejected or held commissions. */
  readonly notes: readonly { readonly id: CommissionId; readonly partnerNote: string | null }[];
}

/** Reads the changes of these commissions that belong to the partner. */
export async function readCommissionChanges(
  database: Database,
  partnerId: PartnerId,
  commissionIds: readonly CommissionId[],
): Promise<CommissionChanges> {
  const asked = { partnerId, ids: JSON.stringify(commissionIds) };
  return readBatch(database, { changes: changes(asked), notes: notes(asked) });
}
