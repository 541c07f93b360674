import { and, asc, eq, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import type { PartnerId, ProgramId } from "#domain/ids.ts";
import type { TimezoneChange } from "#domain/posting-days.ts";
import { type Database, readBatch, readOne } from "../database.ts";
import { noteIn, textOfNote } from "../notes.ts";
import { linkOfPartner, partnerOfProgram } from "../partners.ts";
import { auditEntries } from "../schema/audit.ts";
import { commissions, ledgerEntries as entries } from "../schema/commissions.ts";
import { adjustments, payoutLines, payouts } from "../schema/payouts.ts";
import { refunds } from "../schema/refunds.ts";
import { sales } from "../schema/sales.ts";
import { reviewSince } from "../signals.ts";
import { type Compiler, given, type RowOf, readAll, readFirst } from "../statement.ts";
import { balanceOfPartner, currenciesOfPartner } from "../views/balances.ts";

/** Of the live book. */
export type PartnerAccount = {
  readonly programId: ProgramId;
  readonly partnerId: PartnerId;
  readonly currency: string;
};

/** Instants of posting: from `since` on, before `until`. */
export type PostingPeriod = {
  readonly since: number;
  readonly until: number;
};

export interface StatementSums {
  /** Entries posted before the period. */
  readonly openingCents: bigint;
  /** Entries posted before the end of the period. */
  readonly closingCents: bigint;
  readonly firstPostedAt: number | null;
  /** 0 without entries. */
  readonly lastId: number;
}

const ofAccount = (currency: SQL = sql`${given("currency")}`) => sql`${entries.programId} = ${given("programId")}
  and ${entries.partnerId} = ${given("partnerId")} and ${entries.currency} = ${currency} and ${entries.isTest} = 0`;

/** As text: the client refuses an answer with an integer above 2^53. */
const sumOf = (amount: SQL) => sql`cast(coalesce(sum(${amount}), 0) as text)`.mapWith(BigInt);

const sums = readFirst<PartnerAccount & PostingPeriod, StatementSums>((db) =>
  db
    .select({
      openingCents: sumOf(sql`iif(${entries.createdAt} < ${given("since")}, ${entries.amountCents}, 0)`),
      closingCents: sumOf(sql`${entries.amountCents}`),
      firstPostedAt: sql<number | null>`min(${entries.createdAt})`,
      lastId: sql<number>`coalesce(max(${entries.id}), 0)`,
    })
    .from(entries)
    .where(and(ofAccount(), sql`${entries.createdAt} < ${given("until")}`)),
);

const currenciesOf = readAll<Omit<PartnerAccount, "currency">, { currency: string }>((db) =>
  db.select({ currency: sql<string>`currency` }).from(sql`(${currenciesOfPartner})`),
);

/** Of a rejected commission. */
export const noteOfRejection = (programId: SQLWrapper, commissionId: SQLWrapper) => sql`(
  select ${noteIn(sql`a.after`, "partnerNote")} from audit_entries a
  where a.program_id = ${programId} and a.subject = 'commission ' || ${commissionId}
    and a.action = 'commission.rejected' limit 1)`;

/** Of a commission that a member holds: of the last time. */
export const noteOfHold = (programId: SQLWrapper, commissionId: SQLWrapper) => sql`(
  select ${noteIn(sql`a.after`, "partnerNote")} from audit_entries a
  where a.program_id = ${programId} and a.subject = 'commission ' || ${commissionId}
    and a.action = 'commission.held' and exists (select 1 from commission_signals g
      where g.commission_id = ${commissionId} and g.code = 'by_hand' and g.ended_at is null)
  order by a.id desc limit 1)`;

type PageQuery = PartnerAccount & PostingPeriod & { after: number; last: number; limit: number };

/** Nulls for what an entry doesn't stand for. */
const selectEntries = (db: Compiler) =>
  db
    .select({
      id: entries.id,
      kind: entries.kind,
      amountCents: entries.amountCents,
      day: entries.day,
      postedAt: entries.createdAt,
      commissionId: entries.commissionId,
      transactionId: sales.transactionId,
      refundId: refunds.refundId,
      partnerNote:
        textOfNote(sql`case ${entries.kind} when 'rejected' then ${noteOfRejection(entries.programId, entries.commissionId)}
        when 'returned' then ${payoutLines.partnerNoteId} else ${adjustments.partnerNoteId} end`),
      reference: adjustments.reference,
      payoutId: payoutLines.payoutId,
      payoutReference: payouts.reference,
      reviewSince,
    })
    .from(entries)
    .leftJoin(commissions, eq(commissions.id, entries.commissionId))
    .leftJoin(sales, eq(sales.id, commissions.saleId))
    .leftJoin(refunds, eq(refunds.id, entries.refundId))
    .leftJoin(adjustments, eq(adjustments.id, entries.adjustmentId))
    .leftJoin(payoutLines, eq(payoutLines.id, entries.payoutLineId))
    .leftJoin(payouts, eq(payouts.id, payoutLines.payoutId));
export type StatementEntry = RowOf<typeof selectEntries>;

const page = readAll<PageQuery, StatementEntry>((db) =>
  selectEntries(db)
    .where(
      and(
        ofAccount(),
        sql`${entries.id} > ${given("after")} and ${entries.id} <= ${given("last")}`,
        sql`${entries.createdAt} >= ${given("since")} and ${entries.createdAt} < ${given("until")}`,
      ),
    )
    .orderBy(asc(entries.id))
    .limit(given("limit")),
);

const timezoneChanges = readAll<{ programId: ProgramId }, TimezoneChange>((db) => {
  const before = sql<string>`${auditEntries.before} ->> '$.timezone'`;
  return db
    .select({ at: auditEntries.createdAt, before })
    .from(auditEntries)
    .where(
      and(
        eq(auditEntries.programId, given("programId")),
        sql`${auditEntries.subject} = 'program ' || ${given("programId")}`,
        sql`${before} is not null`,
      ),
    )
    .orderBy(asc(auditEntries.id));
});

export async function readTimezoneChanges(
  database: Database,
  programId: ProgramId,
): Promise<readonly TimezoneChange[]> {
  return await readOne(database, timezoneChanges({ programId }));
}

/** One request. Later entries have higher ids, so a statement is complete with those up to `lastId`. */
export function readStatementHead(database: Database, account: PartnerAccount, period: PostingPeriod) {
  const { programId, partnerId } = account;
  return readBatch(database, {
    partner: partnerOfProgram({ programId, id: partnerId }),
    link: linkOfPartner({ partnerId }),
    sums: sums({ ...account, ...period }),
    balance: balanceOfPartner(account),
    currencies: currenciesOf({ programId, partnerId }),
  });
}

/** In the order of posting. */
export async function readStatementEntries(
  database: Database,
  account: PartnerAccount,
  query: PostingPeriod & { readonly after: number; readonly last: number; readonly limit: number },
): Promise<readonly StatementEntry[]> {
  return await readOne(database, page({ ...account, ...query }));
}
