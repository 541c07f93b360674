import { and, eq, getTableColumns, isNotNull, ne, or, sql } from "drizzle-orm";
import type { PartnerId, ProgramId } from "#domain/ids.ts";
import { type Database, readOne } from "./database.ts";
import { emptiedPayment } from "./erased-columns.ts";
import type { ApplicationRow } from "./join-pages.ts";
import { paymentStatesWhere } from "./payment-details.ts";
import { applications } from "./schema/applications.ts";
import { auditEntries } from "./schema/audit.ts";
import { notes } from "./schema/notes.ts";
import { partnerAccounts } from "./schema/partner-access.ts";
import { partners } from "./schema/partners.ts";
import { paymentDetails } from "./schema/payment-details.ts";
import { payoutLines, payouts } from "./schema/payouts.ts";
import { type Compiler, given, type RowOf, readAll, readFirst, unencoded, write } from "./statement.ts";

// Queries for the data that a program stores about an account.

type OfAccount = { readonly programId: ProgramId; readonly accountId: string };
type OfPartner = { readonly programId: ProgramId; readonly partnerId: PartnerId };

const isOpenTo = and(eq(applications.accountId, given("accountId")), ne(applications.name, ""));

const programsOfAccount = readAll<{ accountId: string }, { programId: ProgramId }>((db) =>
  db
    .select({ programId: partnerAccounts.programId })
    .from(partnerAccounts)
    .where(eq(partnerAccounts.accountId, given("accountId")))
    .union(db.select({ programId: applications.programId }).from(applications).where(isOpenTo)),
);

/** Returns the programs of this database in which the account is a partner or has applied. */
export const readProgramsOfAccount = async (database: Database, accountId: string): Promise<readonly ProgramId[]> =>
  (await readOne(database, programsOfAccount({ accountId }))).map(({ programId }) => programId);

/** True if the payment details are part of a final payout that hasn't been paid. */
const isNeeded = sql`exists (
  select 1 from ${payoutLines} l join ${payouts} y on y.id = l.payout_id
  where l.payment_id = ${paymentDetails.id} and l.state = 'live' and y.status = 'final' and y.settled_by = 'person')`;

const selectAccesses = (db: Compiler) =>
  db
    .select({ role: partnerAccounts.role, partner: getTableColumns(partners) })
    .from(partnerAccounts)
    .innerJoin(partners, eq(partners.id, partnerAccounts.partnerId))
    .where(and(eq(partnerAccounts.accountId, given("accountId")), eq(partnerAccounts.programId, given("programId"))));
export type AccountAccess = RowOf<typeof selectAccesses>;

export const accessesOfAccount = readAll<OfAccount, AccountAccess>(selectAccesses);

/** Payment details of all partners to which the account has access. */
export const paymentsOfAccount = paymentStatesWhere<OfAccount>(sql`${partners.id} in (
  select a.partner_id from ${partnerAccounts} a
  where a.account_id = ${unencoded("accountId")} and a.program_id = ${unencoded("programId")})`);

export const applicationTraces = readFirst<OfAccount, ApplicationRow>((db) =>
  db
    .select()
    .from(applications)
    .where(and(eq(applications.programId, given("programId")), isOpenTo)),
);

/** Clears the versions of the payment details that the account entered, except those that an unpaid payout needs. */
export const forgetPaymentDetails = write<OfPartner & { accountId: string }>((db) =>
  db
    .update(paymentDetails)
    .set(emptiedPayment)
    .where(
      and(
        eq(paymentDetails.partnerId, given("partnerId")),
        eq(paymentDetails.setBy, given("accountId")),
        or(isNotNull(paymentDetails.last4), isNotNull(paymentDetails.ciphertext)),
        sql`not ${isNeeded}`,
      ),
    ),
);

const ofEntries = sql`e.program_id = ${unencoded("programId")} and e.subject = 'partner ' || ${unencoded("partnerId")}`;

/** Deletes the masked forms of the partner's current and former addresses. */
export const forgetAddresses = write<OfPartner>((db) =>
  db
    .update(notes)
    .set({ text: null })
    .where(
      sql`${notes.programId} = ${unencoded("programId")} and ${notes.kind} = 'email' and ${notes.id} in (
        select json_extract(coalesce(e.before, '{}'), '$.email.note') from ${auditEntries} e where ${ofEntries}
        union select json_extract(coalesce(e.after, '{}'), '$.email.note') from ${auditEntries} e where ${ofEntries})`,
    ),
);
