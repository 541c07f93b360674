import { and, desc, eq, inArray, sql } from "drizzle-orm";
import type { PartnerId, ProgramId } from "#domain/ids.ts";
import { type Database, readOne } from "../database.ts";
import { textOfNote } from "../notes.ts";
import { payoutLines, payouts } from "../schema/payouts.ts";
import { type Compiler, given, type RowOf, readAll, unencoded } from "../statement.ts";

/**
 * Excludes drafts and canceled payouts, which partners never see. Includes a payout that is settled by API even if it
 * was canceled, because its lines are given back one by one.
 */
const isOwn = and(
  eq(payoutLines.partnerId, given("partnerId")),
  eq(payoutLines.programId, given("programId")),
  inArray(payoutLines.state, ["live", "failed"]),
  sql`(${payouts.status} in ('final', 'paid') or ${payoutLines.givenBackNumber} is not null)`,
);

const selectLines = (db: Compiler) =>
  db
    .select({
      reference: payouts.reference,
      status: sql<"final" | "paid" | "failed">`iif(${payoutLines.state} = 'failed', 'failed',
        iif(${payouts.settledBy} = 'api', iif(${payoutLines.settledAt} is null, 'final', 'paid'), ${payouts.status}))`,
      amountCents: payoutLines.amountCents,
      currency: payoutLines.currency,
      paidAt: sql<number | null>`iif(${payoutLines.state} = 'failed', null,
        iif(${payouts.settledBy} = 'api', ${payoutLines.settledAt}, ${payouts.paidAt}))`,
      failedAt: payoutLines.failedAt,
      statementNumber: payoutLines.statementNumber,
      partnerNote: textOfNote(payoutLines.partnerNoteId),
    })
    .from(payoutLines)
    .innerJoin(payouts, eq(payouts.id, payoutLines.payoutId));
export type PartnerPayout = RowOf<typeof selectLines>;

export interface PayoutsOfPartner {
  readonly programId: ProgramId;
  readonly partnerId: PartnerId;
  readonly after: string | undefined;
}

type Page = { programId: ProgramId; partnerId: PartnerId; after: string | null; limit: number };

const page = readAll<Page, PartnerPayout>((db) => {
  const last = db
    .select({ id: payouts.id })
    .from(payoutLines)
    .innerJoin(payouts, eq(payouts.id, payoutLines.payoutId))
    .where(and(isOwn, eq(payouts.reference, given("after"))));
  return selectLines(db)
    .where(and(isOwn, sql`(${unencoded("after")} is null or ${payouts.id} < (${last}))`))
    .orderBy(desc(payouts.id))
    .limit(given("limit"));
});

/** Newest first. `after` is the last reference on the previous page. */
export async function listPartnerPayouts(
  database: Database,
  { after, ...asked }: PayoutsOfPartner & { readonly limit: number },
): Promise<readonly PartnerPayout[]> {
  return await readOne(database, page({ ...asked, after: after ?? null }));
}
