import { and, eq, getTableColumns, sql } from "drizzle-orm";
import type { ProgramId, SaleId } from "#domain/ids.ts";
import { heldBy } from "./payout-ranges.ts";
import { isMoving } from "./pending-moves.ts";
import { raisedSignals } from "./raised-signals.ts";
import { commissionSignals } from "./schema/commission-signals.ts";
import { commissions, ledgerEntries } from "./schema/commissions.ts";
import { sales } from "./schema/sales.ts";
import { change, everyColumn, insert, lookUpFirst, readFirst, unencoded, update } from "./statement.ts";
import { subOf } from "./sub-ids.ts";

export type CommissionRow = typeof commissions.$inferSelect;
/** `clickId` is the deciding click. The database copies the click's sub-id to the commission. */
export type NewCommission = Omit<CommissionRow, "sub" | "eventSeq"> & { readonly clickId: string | null };
export type EntryRow = typeof ledgerEntries.$inferSelect;

// Excludes columns that decisions don't need: the sub-id, and the long explanation, which only corrections need.
const { explanation: _explanation, sub: _sub, eventSeq: _eventSeq, ...decidedColumns } = getTableColumns(commissions);

export const liveCommission = lookUpFirst(["programId", "id"], (db, wanted, key) =>
  db
    .select({
      commission: { ...decidedColumns, heldBy: heldBy() },
      saleId: sales.id,
      transactionId: sales.transactionId,
      occurredAt: sales.occurredAt,
      customerId: sales.customerId,
      /** True if the commission has a signal that hasn't ended. */
      isMarked: sql<boolean>`exists (select 1 from ${commissionSignals} g
        where g.commission_id = ${commissions.id} and g.code in ${raisedSignals} and g.ended_at is null)`.mapWith(
        Boolean,
      ),
      /** True if the sale was attributed by a coupon, and hasn't been moved to the customer's current partner yet. */
      isMoving: sql<boolean>`${commissions.source} = 'coupon' and ${isMoving(sales.id)}`.mapWith(Boolean),
    })
    .from(wanted)
    .crossJoin(commissions)
    .innerJoin(sales, eq(sales.id, commissions.saleId))
    .where(and(eq(commissions.id, key.id), eq(commissions.programId, key.programId), sql`${commissions.isTest} = 0`)),
);
export type LiveCommission = NonNullable<ReturnType<ReturnType<typeof liveCommission>["decode"]>>;

export const explanationOfSale = readFirst<{ programId: ProgramId; saleId: SaleId }, { readonly json: string }>((db) =>
  db
    .select({ json: commissions.explanation })
    .from(commissions)
    .where(and(eq(commissions.saleId, unencoded("saleId")), eq(commissions.programId, unencoded("programId")))),
);

const columns = Object.keys(getTableColumns(commissions)) as (keyof CommissionRow)[];
const given = columns.filter((name) => name !== "eventSeq");

export const insertCommission = change<keyof NewCommission>(
  given.map((name) => (name === "sub" ? "clickId" : name)),
  (db, wanted, value) => {
    const bySelect = { sub: subOf(value.clickId, value.programId, value.isTest), eventSeq: sql`null` };
    const row = columns.map((name) => (name === "sub" || name === "eventSeq" ? bySelect[name] : value[name]));
    return db.insert(commissions).select(sql`select ${sql.join(row, sql`, `)} from ${wanted}`);
  },
);

export const insertEntry = insert<EntryRow>((db) => db.insert(ledgerEntries).values(everyColumn(ledgerEntries)));

const attributed = [
  "partnerId",
  "source",
  "status",
  "reason",
  "isUnconfirmed",
  "heldAt",
  "reviewUntil",
  "approvedAt",
  "approvedBy",
  "payableNumber",
  "reversedNumber",
  "initialCents",
  "currency",
  "holdUntil",
  "policyId",
  "explanation",
] as const;

/** Doesn't change the amount, because that is the sum of the ledger entries. */
export const attributeCommission = change<"id" | "clickId" | (typeof attributed)[number]>(
  ["id", "clickId", ...attributed],
  (db, wanted, value) =>
    db
      .update(commissions)
      .set({
        ...Object.fromEntries(attributed.map((name) => [name, value[name]])),
        sub: subOf(value.clickId, sql`commissions.program_id`, sql`commissions.is_test`),
      })
      .from(wanted)
      .where(eq(commissions.id, value.id)),
);

/** Paths in the explanation that depend on the attribution by a click. */
const groundPaths = [
  "decidedAt",
  "partner",
  "click",
  "clickAgeDays",
  "windowDays",
  "evidence",
  "model",
  "windowUntil",
  "bound",
] as const;

/**
 * `ground` is JSON with the current attribution evidence and its instant. The commission's amount and partner don't
 * change.
 */
export const groundCommission = change(["id", "clickId", "source", "isUnconfirmed", "ground"], (db, wanted, value) => {
  const paths = groundPaths.map(
    (name) => sql`, ${sql.raw(`'$.${name}'`)}, ${value.ground} -> ${sql.raw(`'$.${name}'`)}`,
  );
  return db
    .update(commissions)
    .set({
      source: sql`${value.source}`,
      isUnconfirmed: sql`${value.isUnconfirmed}`,
      sub: subOf(value.clickId, sql`commissions.program_id`, sql`commissions.is_test`),
      explanation: sql`json_remove(json_set(commissions.explanation ${sql.join(paths)}), '$.direct', '$.candidates')`,
    })
    .from(wanted)
    .where(eq(commissions.id, value.id));
});

/**
 * Records that the commission's attribution now depends on the coupon of another sale. `since` is the instant of that
 * sale.
 */
export const setCouponSince = change(["id", "since"], (db, wanted, value) =>
  db
    .update(commissions)
    .set({ explanation: sql`json_set(commissions.explanation, '$.direct.since', ${value.since})` })
    .from(wanted)
    .where(eq(commissions.id, value.id)),
);

export const setCommissionState = update(
  commissions,
  ["id"],
  [
    "status",
    "initialCents",
    "isUnconfirmed",
    "heldAt",
    "reviewUntil",
    "approvedAt",
    "approvedBy",
    "payableNumber",
    "reversedNumber",
  ],
);

/** Marks the commission as confirmed. If its hold is over and it isn't under review, also approves it. */
export const confirmCommission = change(
  ["id", "at", "approvedAt", "payableNumber"],
  (db, wanted, { id, at, approvedAt, payableNumber }) => {
    const isDue = sql`${commissions.status} = 'pending' and ${commissions.holdUntil} <= ${at} and ${commissions.heldAt} is null`;
    return db
      .update(commissions)
      .set({
        isUnconfirmed: sql`0`,
        status: sql`iif(${isDue}, 'approved', ${commissions.status})`,
        approvedAt: sql`iif(${isDue}, ${approvedAt}, ${commissions.approvedAt})`,
        payableNumber: sql`iif(${isDue}, ${payableNumber}, ${commissions.payableNumber})`,
        approvedBy: sql`iif(${isDue}, 'hold', ${commissions.approvedBy})`,
      })
      .from(wanted)
      .where(eq(commissions.id, id));
  },
);
