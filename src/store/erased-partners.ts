import { and, asc, eq, isNotNull, isNull, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import type { SQLiteTable } from "drizzle-orm/sqlite-core";
import type { BalanceSums } from "#domain/balance.ts";
import type { PartnerId, ProgramId } from "#domain/ids.ts";
import { columnsAbout, emptiedClaim, emptiedLine, emptiedPartner, emptiedPayment } from "./erased-columns.ts";
import { applications } from "./schema/applications.ts";
import { auditEntries } from "./schema/audit.ts";
import { dueBonuses } from "./schema/bonuses.ts";
import { claims } from "./schema/claims.ts";
import { notes } from "./schema/notes.ts";
import { partnerAccounts, partnerInvitations } from "./schema/partner-access.ts";
import { partnerBalances } from "./schema/partner-balances.ts";
import { partners } from "./schema/partners.ts";
import { paymentDetails } from "./schema/payment-details.ts";
import { adjustments, payoutLines, payouts } from "./schema/payouts.ts";
import { asText, given, readAll, readFirst, unencoded, type Write, write } from "./statement.ts";

type OfPartner = { readonly programId: ProgramId; readonly partnerId: PartnerId };

const nextCurrency = (after: SQL) => sql`select min(b.currency) from ${partnerBalances} b
  where b.program_id = ${given("programId")} and b.currency > ${after}`;
const currencies = sql`with recursive found(currency) as (
  ${nextCurrency(sql`''`)} union all select (${nextCurrency(sql`found.currency`)}) from found where found.currency is not null
) select currency from found where currency is not null`;

const cents = (column: SQLWrapper) => asText(column).mapWith(BigInt);

/** The partner's balances by currency. Reads one row for each currency of the program, not all balances. */
export const balancesToClose = readAll<OfPartner, BalanceSums & { readonly currency: string }>((db) =>
  db
    .select({
      currency: partnerBalances.currency,
      pendingCents: cents(partnerBalances.pendingCents),
      payableCents: cents(partnerBalances.payableCents),
      inPayoutCents: cents(partnerBalances.inPayoutCents),
      paidCents: cents(partnerBalances.paidCents),
    })
    .from(partnerBalances)
    .where(
      and(
        eq(partnerBalances.programId, given("programId")),
        sql`${partnerBalances.currency} in (${currencies})`,
        eq(partnerBalances.partnerId, given("partnerId")),
      ),
    ),
);

const isOwn = (table: { programId: SQLWrapper; partnerId: SQLWrapper }) =>
  sql`${table.programId} = ${unencoded("programId")} and ${table.partnerId} = ${unencoded("partnerId")}`;

/** The application that created the partner, and applications of the partner's accounts that created no partner. */
const isApplication = sql`${applications.programId} = ${unencoded("programId")} and (
  ${applications.partnerId} = ${unencoded("partnerId")} or ${applications.partnerId} is null and ${applications.accountId} in (
    select a.account_id from ${partnerAccounts} a
    where a.program_id = ${unencoded("programId")} and a.partner_id = ${unencoded("partnerId")}))`;
/** Subjects of audit entries about the partner, and the partner's applications and claims. */
const subjects = sql`(
  select 'partner ' || ${unencoded("partnerId")}
  union all select 'application ' || ${applications.id} from ${applications} where ${isApplication}
  union all select 'claim ' || k.id from ${claims} k
    where k.partner_id = ${unencoded("partnerId")} and +k.program_id = ${unencoded("programId")})`;
const isAbout = sql`${auditEntries.programId} = ${unencoded("programId")} and ${auditEntries.subject} in ${subjects}`;

const namedIn = (
  json: SQLWrapper,
) => sql`select f.value ->> '$.note' from ${auditEntries}, json_each(coalesce(${json}, '{}')) f
  where ${isAbout} and f.type = 'object'`;
/** True if the note is about the partner. Includes the notes of failed payments. */
const isNoteAbout = sql`${notes.programId} = ${unencoded("programId")} and ${notes.text} is not null and ${notes.id} in (
  ${namedIn(auditEntries.before)} union ${namedIn(auditEntries.after)}
  union select l.failure_id from ${payoutLines} l where l.partner_id = ${unencoded("partnerId")}
  union select l.partner_note_id from ${payoutLines} l where l.partner_id = ${unencoded("partnerId")})`;

/**
 * Fields of audit entries that may contain a text about a partner. Current versions store these texts as notes, except
 * for the external id.
 */
const texts = ["reason", "partnerNote", ...columnsAbout("partners", "partner")];
const isTextIn = (json: SQLWrapper) =>
  sql.join(
    texts.map((name) => sql`json_type(${json}, ${sql.raw(`'$.${name}'`)}) = 'text'`),
    sql` or `,
  );
const withoutTexts = (json: SQLWrapper) =>
  sql<string | null>`json_replace(${json}, ${sql.join(
    texts.map((name) => {
      const path = sql.raw(`'$.${name}'`);
      return sql`${path}, iif(json_type(${json}, ${path}) = 'text', null, json_extract(${json}, ${path}))`;
    }),
    sql`, `,
  )})`;
/**
 * A call that moves several partners to a group writes one audit entry for each partner, all with the proposal's
 * reason. The reason may name any of them, so it is removed from all entries of the call.
 */
const callOfMove = sql`substr(e.operation_id, 1, length(e.operation_id) - length(' ' || ${unencoded("partnerId")}))`;
const isOfMove = sql`${auditEntries.via} is not null and ${auditEntries.id} in (
  select o.id from ${auditEntries} e
    join ${auditEntries} o on o.operation_id >= ${callOfMove} and o.operation_id < ${callOfMove} || '!'
  where e.program_id = ${unencoded("programId")} and e.subject = 'partner ' || ${unencoded("partnerId")}
    and e.via is not null and e.operation_id like '% ' || ${unencoded("partnerId")})`;
const hasTexts = sql`(${isAbout} or ${isOfMove}) and (
  ${isTextIn(auditEntries.before)} or ${isTextIn(auditEntries.after)} or ${isTextIn(auditEntries.via)})`;

/** True if the line is paid. Paid lines keep the recipient's name. */
const isPaid = sql`${payoutLines.state} = 'live' and exists (
  select 1 from ${payouts} y where y.id = ${payoutLines.payoutId}
    and iif(y.settled_by = 'api', ${payoutLines.settledAt} is not null, y.status = 'paid'))`;
const isSealed = isNotNull(paymentDetails.ciphertext);

const countOf = (table: SQLiteTable, condition: SQL | undefined) =>
  sql<number>`(select count(*) from ${table} where ${condition})`;

/**
 * Counts the rows to erase in each table, except claims and due bonuses. Also returns the partner's position among the
 * program's partners by creation.
 */
export const partnerToErase = readFirst<OfPartner, PartnerToErase>((db) =>
  db
    .select({
      number: countOf(
        partners,
        sql`${partners.programId} = ${unencoded("programId")} and ${partners.id} <= ${unencoded("partnerId")} and not ${partners.isSynthetic}`,
      ),
      partners: sql<number>`1`,
      partnerAccounts: countOf(partnerAccounts, isOwn(partnerAccounts)),
      partnerInvitations: countOf(partnerInvitations, isOwn(partnerInvitations)),
      paymentDetails: countOf(paymentDetails, and(isOwn(paymentDetails), isSealed)),
      applications: countOf(applications, isApplication),
      payoutLines: countOf(payoutLines, isOwn(payoutLines)),
      auditEntries: countOf(auditEntries, hasTexts),
      notes: countOf(notes, isNoteAbout),
    })
    .from(sql`(select 1)`),
);
export interface PartnerToErase {
  readonly number: number;
  readonly partners: number;
  readonly partnerAccounts: number;
  readonly partnerInvitations: number;
  readonly paymentDetails: number;
  readonly applications: number;
  readonly payoutLines: number;
  readonly auditEntries: number;
  readonly notes: number;
}

export const applicationsOfPartner = readAll<OfPartner, typeof applications.$inferSelect>((db) =>
  db.select().from(applications).where(isApplication),
);

/** Place this write before the writes that write off a debt: the reason of a write-off must stay. */
export const eraseNotes = write<OfPartner>((db) => db.update(notes).set({ text: null }).where(isNoteAbout));

const erasures = [
  write<OfPartner>((db) =>
    db
      .update(auditEntries)
      .set({
        before: withoutTexts(auditEntries.before),
        after: withoutTexts(auditEntries.after),
        via: withoutTexts(auditEntries.via),
      })
      .where(hasTexts),
  ),
  write<OfPartner>((db) => db.update(claims).set(emptiedClaim).where(isOwn(claims))),
  write<OfPartner>((db) => db.delete(partnerAccounts).where(isOwn(partnerAccounts))),
  write<OfPartner>((db) => db.delete(partnerInvitations).where(isOwn(partnerInvitations))),
  write<OfPartner>((db) => db.update(paymentDetails).set(emptiedPayment).where(isOwn(paymentDetails))),
  write<OfPartner>((db) => db.delete(dueBonuses).where(isOwn(dueBonuses))),
];

const eraseLines = write<OfPartner & { name: string }>((db) =>
  db
    .update(payoutLines)
    .set({
      ...emptiedLine,
      name: sql`iif(${isPaid}, ${payoutLines.name}, ${unencoded("name")})`,
    })
    .where(isOwn(payoutLines)),
);

const erasePartner = write<OfPartner & { name: string; erasureId: string }>((db) =>
  db
    .update(partners)
    .set({
      ...emptiedPartner,
      name: sql`${unencoded("name")}`,
      status: "paused",
      erasureId: sql`${unencoded("erasureId")}`,
    })
    .where(
      and(eq(partners.id, given("partnerId")), eq(partners.programId, given("programId")), isNull(partners.erasureId)),
    ),
);

/** These writes are possible only while the erasure's receipt is open. */
export const erasedPartnerWrites = (of: OfPartner, name: string, erasureId: string): readonly Write[] => [
  ...erasures.map((erase) => erase({ ...of })),
  eraseLines({ ...of, name }),
  erasePartner({ ...of, name, erasureId }),
];

/** The reference of the adjustment with which an erasure writes off a debt. It begins with the receipt's id. */
export const writeOffReference = (receiptId: string, currency: string): string => `${receiptId} ${currency}`;

export const writeOffsOfReceipt = readAll<
  { programId: ProgramId; receiptId: string },
  { readonly currency: string; readonly amountCents: number }
>((db) =>
  db
    .select({ currency: adjustments.currency, amountCents: adjustments.amountCents })
    .from(partners)
    // Cross joins fix this order. Otherwise SQLite would scan all adjustments.
    .crossJoin(adjustments)
    .where(
      and(
        eq(partners.erasureId, given("receiptId")),
        eq(partners.programId, given("programId")),
        eq(adjustments.programId, partners.programId),
        eq(adjustments.partnerId, partners.id),
        sql`${adjustments.reference} = ${given("receiptId")} || ' ' || ${adjustments.currency}`,
      ),
    )
    .orderBy(asc(adjustments.currency)),
);
