import { and, asc, count, eq, isNotNull, lte, min, sql } from "drizzle-orm";
import { type Database, readBatch } from "./database.ts";
import { commissions, ledgerEntries } from "./schema/commissions.ts";
import { sales } from "./schema/sales.ts";
import { everyColumn, insert, param, readFirst, update, write } from "./statement.ts";

/** Triggers keep the two columns left out. */
export type CommissionRow = Omit<typeof commissions.$inferSelect, "untakenCents" | "untakenEntries">;
export type EntryRow = typeof ledgerEntries.$inferSelect;

export const liveCommission = readFirst((db) =>
  db
    .select({
      commission: commissions,
      saleId: sales.id,
      transactionId: sales.transactionId,
      occurredAt: sales.occurredAt,
      customerId: sales.customerId,
    })
    .from(commissions)
    .innerJoin(sales, eq(sales.id, commissions.saleId))
    .where(
      and(
        eq(commissions.id, sql.placeholder("id")),
        eq(commissions.programId, sql.placeholder("programId")),
        eq(commissions.isTest, false),
      ),
    ),
);

export const insertCommission = insert<CommissionRow>((db) => {
  const { untakenCents: _cents, untakenEntries: _entries, ...columns } = everyColumn(commissions);
  return db.insert(commissions).values(columns);
});

export const insertEntry = insert<EntryRow>((db) => db.insert(ledgerEntries).values(everyColumn(ledgerEntries)));

/** Leaves the amount to the ledger entries. */
export const attributeCommission = update(
  commissions,
  { id: commissions.id },
  {
    partnerId: commissions.partnerId,
    status: commissions.status,
    reason: commissions.reason,
    isUnconfirmed: commissions.isUnconfirmed,
    approvedAt: commissions.approvedAt,
    approvedBy: commissions.approvedBy,
    initialCents: commissions.initialCents,
    holdUntil: commissions.holdUntil,
    policyId: commissions.policyId,
    explanation: commissions.explanation,
  },
);

export const setCommissionState = write<
  Pick<CommissionRow, "id" | "status" | "initialCents" | "isUnconfirmed" | "approvedAt" | "approvedBy">
>((db) =>
  db
    .update(commissions)
    .set({
      status: param("status"),
      initialCents: param("initialCents"),
      isUnconfirmed: param("isUnconfirmed"),
      approvedAt: param("approvedAt"),
      approvedBy: param("approvedBy"),
    })
    .where(eq(commissions.id, sql.placeholder("id"))),
);

/** Takes a JSON array of commission ids. Approves those whose hold is over. */
export const confirmCommissions = write<{ ids: string; at: number }>((db) => {
  const isDue = sql`${commissions.status} = 'pending' and ${commissions.holdUntil} <= ${sql.placeholder("at")}`;
  return db
    .update(commissions)
    .set({
      isUnconfirmed: sql`0`,
      status: sql`iif(${isDue}, 'approved', ${commissions.status})`,
      approvedAt: sql`iif(${isDue}, ${sql.placeholder("at")}, ${commissions.approvedAt})`,
      approvedBy: sql`iif(${isDue}, 'hold', ${commissions.approvedBy})`,
    })
    .where(sql`${commissions.id} in (select value from json_each(${sql.placeholder("ids")}))`);
});

const awaitsApproval = () =>
  and(sql`${commissions.status} = 'pending' and ${commissions.isUnconfirmed} = 0`, isNotNull(commissions.holdUntil));

export const approveDueCommissions = write<{ at: number; limit: number; skip: number }>((db) =>
  db
    .update(commissions)
    .set({ status: "approved", approvedAt: sql`${sql.placeholder("at")}`, approvedBy: "hold" })
    .where(
      sql`${commissions.id} in ${db
        .select({ id: commissions.id })
        .from(commissions)
        .where(and(awaitsApproval(), lte(commissions.holdUntil, sql.placeholder("at"))))
        .orderBy(asc(commissions.holdUntil))
        .limit(sql.placeholder("limit"))
        .offset(sql.placeholder("skip"))}`,
    ),
);

/** The earliest hold after the first `skip`, which may be over. */
export const nextHoldEnd = readFirst<{ skip: number }, { at: number | null }>((db) =>
  db
    .select({ at: commissions.holdUntil })
    .from(commissions)
    .where(awaitsApproval())
    .orderBy(asc(commissions.holdUntil))
    .limit(1)
    .offset(sql.placeholder("skip")),
);

const dueCommissions = readFirst<{ at: number }, { commissions: number; oldestAt: number | null }>((db) =>
  db
    .select({ commissions: count(), oldestAt: min(commissions.holdUntil) })
    .from(commissions)
    .where(and(awaitsApproval(), lte(commissions.holdUntil, sql.placeholder("at")))),
);

/** Commissions whose hold is over, and when the first of these holds ended (ms). One request. */
export async function readDueCommissions(
  database: Database,
  at: number,
): Promise<{ readonly commissions: number; readonly oldestAt: number | undefined }> {
  const { due } = await readBatch(database, { due: dueCommissions({ at }) });
  return { commissions: due?.commissions ?? 0, oldestAt: due?.oldestAt ?? undefined };
}
