import { and, asc, eq, isNull, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import type { entryKinds } from "#domain/commission-status.ts";
import type { PartnerId, PayoutId, ProgramId } from "#domain/ids.ts";
import type { TimezoneChange } from "#domain/posting-days.ts";
import { sumKinds } from "#domain/statement-sums.ts";
import { type Database, readBatch, readOne } from "../database.ts";
import { previousPayment } from "../line-sums.ts";
import { noteIn, textOfNote } from "../notes.ts";
import { linkOfPartner, partnerOfProgram } from "../partners.ts";
import { newestPaymentDetails } from "../payment-details.ts";
import { isHolding } from "../payout-ranges.ts";
import { programById } from "../programs.ts";
import { isOfCorrection } from "../refunds.ts";
import { auditEntries } from "../schema/audit.ts";
import { commissions, ledgerEntries as entries } from "../schema/commissions.ts";
import { oneOf } from "../schema/one-of.ts";
import { paymentDetails } from "../schema/payment-details.ts";
import { adjustments, lastNumber, payoutLines, payouts } from "../schema/payouts.ts";
import { refunds } from "../schema/refunds.ts";
import { sales } from "../schema/sales.ts";
import { reviewSince } from "../signals.ts";
import { type Compiler, given, type RowOf, readAll, readFirst } from "../statement.ts";
import { balanceOfPartner, currenciesOfPartner } from "../views/balances.ts";

/** Identifies a partner's account in the live book. */
export type PartnerAccount = {
  readonly programId: ProgramId;
  readonly partnerId: PartnerId;
  readonly currency: string;
};

export type EntryRange = {
  /** Instants of posting: from `since` (inclusive) until `until` (exclusive). */
  readonly since: number;
  readonly until: number;
  /** Ids of entries: above `after`, up to and including `last`. */
  readonly after: number;
  readonly last: number;
};

type SumsQuery = PartnerAccount & EntryRange & { readonly seen: number };

export const allEntries: EntryRange = { since: 0, until: lastNumber, after: 0, last: lastNumber };

export interface StatementSums {
  /** Sum of the entries before the range. */
  readonly openingCents: bigint;
  readonly earnedCents: bigint;
  readonly refundedCents: bigint;
  readonly adjustedCents: bigint;
  readonly paidCents: bigint;
  /** Sum of all entries up to the end of the range. */
  readonly closingCents: bigint;
  readonly firstPostedAt: number | null;
  /** 0 if there are no entries. */
  readonly lastId: number;
  /** Number of the range's entries with ids above `seen`. */
  readonly unseen: number;
}

export const ofAccount = (currency: SQL = sql`${given("currency")}`) => sql`${entries.programId} = ${given("programId")}
  and ${entries.partnerId} = ${given("partnerId")} and ${entries.currency} = ${currency} and ${entries.isTest} = 0`;

/** Selected as text, because the libSQL client rejects integers above 2^53. */
const sumOf = (amount: SQL) => sql`cast(coalesce(sum(${amount}), 0) as text)`.mapWith(BigInt);

const isBefore = sql`(${entries.createdAt} < ${given("since")} or ${entries.id} <= ${given("after")})`;

const sumOfKinds = (...kinds: readonly (typeof entryKinds)[number][]) =>
  sumOf(sql`iif(not ${isBefore} and ${oneOf(entries.kind, kinds)}, ${entries.amountCents}, 0)`);

const sums = readFirst<SumsQuery, StatementSums>((db) =>
  db
    .select({
      openingCents: sumOf(sql`iif(${isBefore}, ${entries.amountCents}, 0)`),
      earnedCents: sumOfKinds(...sumKinds.earned),
      refundedCents: sumOfKinds(...sumKinds.refunded),
      adjustedCents: sumOfKinds(...sumKinds.adjusted),
      paidCents: sumOfKinds(...sumKinds.paid, ...sumKinds.returned),
      closingCents: sumOf(sql`${entries.amountCents}`),
      firstPostedAt: sql<number | null>`min(${entries.createdAt})`,
      lastId: sql<number>`coalesce(max(${entries.id}), 0)`,
      unseen: sql<number>`coalesce(sum(not ${isBefore} and ${entries.id} > ${given("seen")}), 0)`,
    })
    .from(entries)
    .where(and(ofAccount(), sql`${entries.createdAt} < ${given("until")} and ${entries.id} <= ${given("last")}`)),
);

const currenciesOf = readAll<Omit<PartnerAccount, "currency">, { currency: string }>((db) =>
  db.select({ currency: sql<string>`currency` }).from(sql`(${currenciesOfPartner})`),
);

/** The note on a rejected commission. */
export const noteOfRejection = (programId: SQLWrapper, commissionId: SQLWrapper) => sql`(
  select ${noteIn(sql`a.after`, "partnerNote")} from audit_entries a
  where a.program_id = ${programId} and a.subject = 'commission ' || ${commissionId}
    and a.action = 'commission.rejected' limit 1)`;

/** The note on a commission's current manual hold. Null if there is none. */
export const noteOfHold = (programId: SQLWrapper, commissionId: SQLWrapper) => sql`(
  select ${noteIn(sql`a.after`, "partnerNote")} from audit_entries a
  where a.program_id = ${programId} and a.subject = 'commission ' || ${commissionId}
    and a.action = 'commission.held' and exists (select 1 from commission_signals g
      where g.commission_id = ${commissionId} and g.code = 'by_hand' and g.ended_at is null)
  order by a.id desc limit 1)`;

type PageQuery = PartnerAccount & EntryRange & { limit: number };

/** Columns that don't apply to a kind of entry are null. */
export const selectEntries = (db: Compiler) =>
  db
    .select({
      id: entries.id,
      kind: entries.kind,
      amountCents: entries.amountCents,
      day: entries.day,
      postedAt: entries.createdAt,
      commissionId: entries.commissionId,
      saleOn: sales.day,
      partnerNote:
        textOfNote(sql`case ${entries.kind} when 'rejected' then ${noteOfRejection(entries.programId, entries.commissionId)}
        when 'returned' then ${payoutLines.partnerNoteId} else ${adjustments.partnerNoteId} end`),
      payoutReference: payouts.reference,
      reviewSince,
      isOfCorrection,
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

export const timezoneChanges = readAll<{ programId: ProgramId }, TimezoneChange>((db) => {
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

/** The `paid` entry of a payout line. */
const paidEntry = (lineId: SQLWrapper) => sql`${entries.payoutLineId} = ${lineId} and ${entries.kind} = 'paid'`;

interface Posted {
  readonly entryId: number;
  readonly postedAt: number;
}

const selectPayments = (db: Compiler) =>
  db
    .select({
      entryId: entries.id,
      postedAt: entries.createdAt,
      day: entries.day,
      payoutId: payoutLines.payoutId,
      currency: payoutLines.currency,
      name: payoutLines.name,
      /** When the payment's `returned` entry was written. */
      returnedAt: sql<number | null>`(select r.created_at from ledger_entries r
        where r.payout_line_id = ${payoutLines.id} and r.kind = 'returned')`,
      /** When the payment was settled after all, if the settlement was reported after the payment's return. */
      lateSettledAt: payoutLines.lateSettledAt,
      /** The partner's previous payment in this currency. */
      before:
        sql<Posted | null>`${previousPayment(sql`json_object('entryId', e.id, 'postedAt', e.created_at)`)}`.mapWith(
          (json: string) => JSON.parse(json) as Posted,
        ),
      details: {
        programId: paymentDetails.programId,
        sealId: paymentDetails.sealId,
        ciphertext: paymentDetails.ciphertext,
        setBy: paymentDetails.setBy,
      },
    })
    .from(payoutLines)
    .innerJoin(entries, paidEntry(payoutLines.id))
    // Payments that are settled by API don't use the payment details.
    .leftJoin(paymentDetails, and(eq(paymentDetails.id, payoutLines.paymentId), isNull(payoutLines.settledAt)));
type StatementPayment = RowOf<typeof selectPayments>;

/** How the commissions that a payment paid have changed since: the sum of their entries after the payment. */
export interface LaterChanges {
  readonly amountCents: bigint;
  /** When the last entry after the payment was written (ms). Null if there is none. */
  readonly lastAt: number | null;
}

type LaterQuery = Pick<EntryRange, "last"> & { readonly payoutId: PayoutId; readonly partnerId: PartnerId };

/**
 * `last` is the payment's entry. A returned payment has no commissions, because they are payable again. The index on
 * the entries of a commission finds the entries after `last`.
 */
export const laterChanges = readFirst<LaterQuery, LaterChanges>((db) =>
  db
    .select({ amountCents: sumOf(sql`l.amount_cents`), lastAt: sql<number | null>`max(l.created_at)` })
    .from(
      sql`payout_ranges r cross join payouts p on p.id = r.payout_id cross join commissions c on ${isHolding("c")}
        cross join ledger_entries l on l.commission_id = c.id and l.id * (l.kind <> 'earned') > ${given("last")}`,
    )
    .where(sql`r.payout_id = ${given("payoutId")} and r.partner_id = ${given("partnerId")}`),
);

type PaymentQuery = { programId: ProgramId; partnerId: PartnerId; number: number | null };

const paymentOf = readFirst<PaymentQuery, StatementPayment>((db) =>
  selectPayments(db).where(
    and(
      eq(payoutLines.partnerId, given("partnerId")),
      eq(payoutLines.programId, given("programId")),
      sql`${payoutLines.statementNumber} = ${given("number")}`,
    ),
  ),
);

export interface StatementStart {
  readonly timezoneChanges: readonly TimezoneChange[];
  /** Undefined if there is no such payment, or the statement is for a period. */
  readonly payment: StatementPayment | undefined;
}

/** Makes one database request. */
export const readStatementStart = (database: Database, asked: PaymentQuery): Promise<StatementStart> =>
  readBatch(database, { timezoneChanges: timezoneChanges({ programId: asked.programId }), payment: paymentOf(asked) });

const headReads = (asked: SumsQuery) => {
  const { programId, partnerId, currency } = asked;
  return {
    program: programById({ id: programId }),
    partner: partnerOfProgram({ programId, id: partnerId }),
    link: linkOfPartner({ partnerId }),
    sums: sums(asked),
    balance: balanceOfPartner({ programId, partnerId, currency }),
    currencies: currenciesOf({ programId, partnerId }),
    newestDetails: newestPaymentDetails({ programId, partnerId }),
  };
};

/**
 * Reads a statement's totals. Entries posted later have ids above `lastId`, so reading entries up to `lastId` gives a
 * complete statement. Makes one database request.
 */
export const readStatementHead = (database: Database, asked: SumsQuery) => readBatch(database, headReads(asked));

/** Also reads what has changed since the payment. Makes one database request. */
export const readPaymentHead = (database: Database, asked: SumsQuery & LaterQuery) =>
  readBatch(database, { ...headReads(asked), later: laterChanges(asked) });

/** Returns entries in the order of posting. */
export async function readStatementEntries(
  database: Database,
  account: PartnerAccount,
  query: EntryRange & { readonly limit: number },
): Promise<readonly StatementEntry[]> {
  return await readOne(database, page({ ...account, ...query }));
}
