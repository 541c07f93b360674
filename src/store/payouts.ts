import { and, asc, count, eq, getTableColumns, inArray, isNotNull, lte, sql } from "drizzle-orm";
import { auditEntries } from "./schema/audit.ts";
import { partners } from "./schema/partners.ts";
import { payouts } from "./schema/payouts.ts";
import { everyColumn, param, readAll, readCount, readFirst, write } from "./statement.ts";

export type PayoutRow = typeof payouts.$inferSelect;

const given = sql.placeholder;
const isOfProgram = eq(payouts.programId, given("programId"));

export const payoutById = readFirst<{ programId: number; id: number }, PayoutRow>((db) =>
  db
    .select()
    .from(payouts)
    .where(and(isOfProgram, eq(payouts.id, given("id")))),
);

export const payoutByReference = readFirst<{ programId: number; reference: string | null }, PayoutRow>((db) =>
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

/** Also one that is being finalized, which may become a draft again. */
export const openDraft = readFirst<{ programId: number; currency: string }, PayoutRow>((db) =>
  db
    .select()
    .from(payouts)
    .where(
      and(isOfProgram, eq(payouts.currency, given("currency")), sql`${payouts.status} in ('draft', 'finalizing')`),
    ),
);

/** Payouts that a person has finalized or is finalizing, and that nobody has confirmed. */
export const unconfirmedPayouts = readCount<{ programId: number }>((db) =>
  db
    .select({ n: count() })
    .from(payouts)
    .where(and(isOfProgram, inArray(payouts.status, ["finalizing", "final"]))),
);

/** `partnerIds`: a JSON array. Counts those that are partners of the program. */
export const knownPartners = readCount<{ programId: number; partnerIds: string }>((db) =>
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

/** No sums: one that can't be read must not stop the payouts of others. */
export type UnfinishedPayout = Pick<
  PayoutRow,
  "id" | "programId" | "currency" | "status" | "phase" | "cursorPartnerId" | "until" | "partnerIds"
>;

/** With work left, by id from the one after `after` on and around to the first. */
export const unfinishedPayouts = readAll<{ after: number; limit: number }, UnfinishedPayout>((db) =>
  db
    .select({
      id: payouts.id,
      programId: payouts.programId,
      currency: payouts.currency,
      status: payouts.status,
      phase: payouts.phase,
      cursorPartnerId: payouts.cursorPartnerId,
      until: payouts.until,
      partnerIds: payouts.partnerIds,
    })
    .from(payouts)
    .where(isNotNull(payouts.phase))
    .orderBy(lte(payouts.id, given("after")), asc(payouts.id))
    .limit(given("limit")),
);

export const insertPayout = write<PayoutRow>((db) => db.insert(payouts).values(everyColumn(payouts)));

export const savePayout = write<PayoutRow>((db) =>
  db
    .update(payouts)
    .set({
      status: param("status"),
      phase: param("phase"),
      cursorPartnerId: param("cursorPartnerId"),
      includesChangedUntil: param("includesChangedUntil"),
      expectedTotalCents: param("expectedTotalCents"),
      totalCents: param("totalCents"),
      lineCount: param("lineCount"),
      paidAt: param("paidAt"),
      note: param("note"),
      finalizedAt: param("finalizedAt"),
      finalizedBy: param("finalizedBy"),
      confirmedAt: param("confirmedAt"),
      confirmedBy: param("confirmedBy"),
      canceledAt: param("canceledAt"),
      canceledBy: param("canceledBy"),
    })
    .where(eq(payouts.id, given("id"))),
);

/** Of a draft that is still being composed, which has lines of skipped partners alone. */
export const deletePayout = write<{ id: number }>((db) => db.delete(payouts).where(eq(payouts.id, given("id"))));
