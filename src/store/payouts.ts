import { and, count, eq, getTableColumns, isNull, sql } from "drizzle-orm";
import type { PayoutId, ProgramId } from "#domain/ids.ts";
import { auditEntries } from "./schema/audit.ts";
import { partners } from "./schema/partners.ts";
import { payouts } from "./schema/payouts.ts";
import { everyColumn, given, insert, readCount, readFirst, update } from "./statement.ts";

export type PayoutRow = typeof payouts.$inferSelect;

const isOfProgram = eq(payouts.programId, given("programId"));

export const payoutById = readFirst<{ programId: ProgramId; id: PayoutId }, PayoutRow>((db) =>
  db
    .select()
    .from(payouts)
    .where(and(isOfProgram, eq(payouts.id, given("id")))),
);

export const payoutByReference = readFirst<{ programId: ProgramId; reference: string | null }, PayoutRow>((db) =>
  db
    .select()
    .from(payouts)
    .where(and(isOfProgram, sql`${payouts.reference} = ${given("reference")}`)),
);

export const payoutOfOperation = readFirst<{ operationId: string }, PayoutRow>((db) =>
  db
    .select(getTableColumns(payouts))
    .from(auditEntries)
    .innerJoin(payouts, sql`${auditEntries.subject} = 'payout ' || ${payouts.id}`)
    .where(and(eq(auditEntries.operationId, given("operationId")), eq(payouts.programId, auditEntries.programId))),
);

export const openDraft = readFirst<{ programId: ProgramId; currency: string }, PayoutRow>((db) =>
  db
    .select()
    .from(payouts)
    .where(and(isOfProgram, eq(payouts.currency, given("currency")), sql`${payouts.status} = 'draft'`)),
);

/** The number of final payouts that no person has confirmed. */
export const unconfirmedPayouts = readCount<{ programId: ProgramId }>((db) =>
  db
    .select({ n: count() })
    .from(payouts)
    .where(and(isOfProgram, eq(payouts.status, "final"), isNull(payouts.confirmedAt))),
);

/** The number of payouts that are settled by API and have lines that are neither settled nor given back. */
export const unsettledPayouts = readCount<{ programId: ProgramId }>((db) =>
  db
    .select({ n: count() })
    .from(payouts)
    .where(and(isOfProgram, eq(payouts.status, "final"), eq(payouts.settledBy, "api"))),
);

/** Returns how many of `partnerIds`, a JSON array, are partners of the program. */
export const knownPartners = readCount<{ programId: ProgramId; partnerIds: string }>((db) =>
  db
    .select({ n: count() })
    .from(partners)
    .where(
      and(
        sql`${partners.id} in (select value from json_each(${given("partnerIds")}))`,
        eq(partners.programId, given("programId")),
        eq(partners.isSynthetic, false),
      ),
    ),
);

export const insertPayout = insert<PayoutRow>((db) => db.insert(payouts).values(everyColumn(payouts)));

/**
 * Updates what changes with each line of a payout that is settled by API. Unlike `savePayout`, it doesn't run the
 * triggers of a payout's status, which are large.
 */
export const saveSums = update(payouts, ["id"], ["settledCents", "givenBackCents", "returnedCents", "dueAt"]);

export const savePayout = update(
  payouts,
  ["id"],
  [
    "status",
    "totalCents",
    "lineCount",
    "settledBy",
    "settledCents",
    "givenBackCents",
    "returnedCents",
    "paidAt",
    "noteId",
    "finalizedAt",
    "finalizedBy",
    "finalizedNumber",
    "dueAt",
    "confirmedAt",
    "confirmedBy",
    "canceledAt",
    "canceledBy",
    "canceledNumber",
  ],
);
