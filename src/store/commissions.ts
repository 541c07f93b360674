import { and, asc, eq, getTableColumns, isNotNull, lte, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import type { ProgramId, SaleId } from "#domain/ids.ts";
import { type Database, readBatch } from "./database.ts";
import { heldBy } from "./payout-ranges.ts";
import { isHere } from "./program-place.ts";
import { clicks } from "./schema/clicks.ts";
import { commissions, ledgerEntries } from "./schema/commissions.ts";
import { customerClicks } from "./schema/customers.ts";
import { sales } from "./schema/sales.ts";
import {
  type Compiler,
  change,
  everyColumn,
  insert,
  lookUpFirst,
  param,
  readFirst,
  update,
  write,
} from "./statement.ts";

export type CommissionRow = typeof commissions.$inferSelect;
/** `clickId`: the click that it rests on, whose sub-id the database copies. */
export type NewCommission = Omit<CommissionRow, "sub"> & { readonly clickId: string | null };
export type EntryRow = typeof ledgerEntries.$inferSelect;

// No decision needs the sub-id, and none but a correction the long text.
const { explanation: _explanation, sub: _sub, ...decidedColumns } = getTableColumns(commissions);

export const liveCommission = lookUpFirst(["programId", "id"], (db, wanted, key) =>
  db
    .select({
      commission: { ...decidedColumns, heldBy: heldBy() },
      saleId: sales.id,
      transactionId: sales.transactionId,
      occurredAt: sales.occurredAt,
      customerId: sales.customerId,
    })
    .from(wanted)
    .crossJoin(commissions)
    .innerJoin(sales, eq(sales.id, commissions.saleId))
    .where(and(eq(commissions.id, key.id), eq(commissions.programId, key.programId), sql`${commissions.isTest} = 0`)),
);
export type LiveCommission = NonNullable<ReturnType<ReturnType<typeof liveCommission>["decode"]>>;

/** Of a sale's commission, as it was frozen. */
export const explanationOfSale = readFirst<{ programId: ProgramId; saleId: SaleId }, { readonly json: string }>((db) =>
  db
    .select({ json: commissions.explanation })
    .from(commissions)
    .where(and(eq(commissions.saleId, param("saleId")), eq(commissions.programId, param("programId")))),
);

/** Null as long as the click has no row, too: that of an outage may come later, with `fillInSub`. */
const subOf = (clickId: SQLWrapper, programId: SQLWrapper, isTest: SQLWrapper): SQL => sql`(
  select k.sub from ${clicks} k where k.click_id = ${clickId} and k.program_id = ${programId} and k.is_test = ${isTest}
)`;

const columns = Object.keys(getTableColumns(commissions)) as (keyof CommissionRow)[];

export const insertCommission = change<keyof NewCommission>(
  columns.map((name) => (name === "sub" ? "clickId" : name)),
  (db, wanted, value) => {
    const sub = subOf(value.clickId, value.programId, value.isTest);
    const row = columns.map((name) => (name === "sub" ? sub : value[name]));
    return db.insert(commissions).select(sql`select ${sql.join(row, sql`, `)} from ${wanted}`);
  },
);

export const insertEntry = insert<EntryRow>((db) => db.insert(ledgerEntries).values(everyColumn(ledgerEntries)));

const attributed = [
  ...(["partnerId", "source", "status", "reason", "isUnconfirmed", "heldAt", "reviewUntil"] as const),
  ...(["approvedAt", "approvedBy"] as const),
  ...(["payableNumber", "reversedNumber", "initialCents", "holdUntil", "policyId", "explanation"] as const),
];

/** Leaves the amount to the ledger entries. */
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

/** Frozen with a commission, by a click. */
const groundPaths = [
  "partner",
  "click",
  "clickAgeDays",
  "windowDays",
  "evidence",
  "model",
  "windowUntil",
  "bound",
] as const;

/** `attribution`: JSON of what it rests on now. The amount stays, and whose it is. */
export const groundCommission = change(["id", "clickId", "source", "attribution"], (db, wanted, value) => {
  const paths = groundPaths.map(
    (name) => sql`, ${sql.raw(`'$.${name}'`)}, ${value.attribution} -> ${sql.raw(`'$.${name}'`)}`,
  );
  return db
    .update(commissions)
    .set({
      source: sql`${value.source}`,
      sub: subOf(value.clickId, sql`commissions.program_id`, sql`commissions.is_test`),
      explanation: sql`json_remove(json_set(commissions.explanation ${sql.join(paths)}), '$.direct')`,
    })
    .from(wanted)
    .where(eq(commissions.id, value.id));
});

/** Of a click whose row is written only now: calls may have shown it, and sales rest on it, since it was answered. */
export const fillInSub = write<{ programId: ProgramId; isTest: boolean; clickId: string }>((db) =>
  db
    .update(commissions)
    .set({ sub: subOf(param("clickId"), param("programId"), param("isTest")) })
    .where(
      sql`${commissions.id} in (
        select c.id from ${customerClicks} cc
        cross join ${sales} s on s.customer_id = cc.customer_id
        cross join ${commissions} c on c.sale_id = s.id
        where cc.click_id = ${param("clickId")} and c.program_id = ${param("programId")} and c.is_test = ${param("isTest")}
          and c.source = 'click' and c.explanation ->> '$.click.id' = ${param("clickId")}
      )`,
    ),
);

export const setCommissionState = update(
  commissions,
  ["id"],
  [
    ...(["status", "initialCents", "isUnconfirmed", "heldAt", "reviewUntil"] as const),
    ...(["approvedAt", "approvedBy", "payableNumber", "reversedNumber"] as const),
  ],
);

type Approval = { approvedAt: number; payableNumber: number };

/** Approves it too if its hold is over, and nobody holds it. */
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

/** `isOfCoupon`: an approval makes the customer's attribution final. */
const awaitsApproval = (isOfCoupon: boolean) =>
  and(
    sql`${commissions.status} = 'pending' and ${commissions.isUnconfirmed} = 0 and ${commissions.heldAt} is null`,
    isOfCoupon ? sql`${commissions.source} = 'coupon'` : sql`${commissions.source} <> 'coupon'`,
    isNotNull(commissions.holdUntil),
  );

const approveDue = (isOfCoupon: boolean) =>
  write<{ at: number; limit: number; skip: number } & Approval>((db) =>
    db
      .update(commissions)
      .set({
        status: "approved",
        approvedAt: param("approvedAt"),
        approvedBy: "hold",
        payableNumber: param("payableNumber"),
      })
      .where(
        sql`${commissions.id} in ${db
          .select({ id: commissions.id })
          .from(commissions)
          .where(
            and(
              awaitsApproval(isOfCoupon),
              isHere(commissions.programId),
              lte(commissions.holdUntil, sql.placeholder("at")),
            ),
          )
          .orderBy(asc(commissions.holdUntil))
          .limit(sql.placeholder("limit"))
          .offset(sql.placeholder("skip"))}`,
      ),
  );

export const approveDueCommissions = { own: approveDue(false), ofCoupons: approveDue(true) };

/** The earliest hold after the first `skip`, of coupons after the first `skipCoupons`, and the earliest end of a review after the first `skipReviews`: both may be over. */
export const nextHoldEnd = readFirst<
  { skip: number; skipCoupons: number; skipReviews: number },
  { at: number | null; couponAt: number | null; reviewAt: number | null }
>((db) =>
  db
    .select({
      at: firstHoldEnd(db, false, "skip"),
      couponAt: firstHoldEnd(db, true, "skipCoupons"),
      reviewAt: sql<number | null>`(
        select c.review_until from commissions c where c.review_until is not null and ${isHere(sql`c.program_id`)}
        order by c.review_until limit 1 offset ${sql.placeholder("skipReviews")})`,
    })
    .from(sql`(select 1)`),
);

const firstHoldEnd = (db: Compiler, isOfCoupon: boolean, skip: string) =>
  sql<number | null>`(
    ${db
      .select({ at: commissions.holdUntil })
      .from(commissions)
      .where(and(awaitsApproval(isOfCoupon), isHere(commissions.programId)))
      .orderBy(asc(commissions.holdUntil))
      .limit(1)
      .offset(sql.placeholder(skip))})`;

const dueCommissions = readFirst<{ at: number }, { commissions: number; oldestAt: number | null }>((db) =>
  db.select({ commissions: sql<number>`count(*)`, oldestAt: sql<number | null>`min(due.at)` }).from(
    sql`(
      ${sql.join([false, true].map(holdsOver), sql` union all `)}
      union all
      select c.review_until from ${commissions} c where c.review_until <= ${param("at")} and ${isHere(sql`c.program_id`)}
    ) due`,
  ),
);

const holdsOver = (isOfCoupon: boolean): SQL => sql`
  select ${commissions.holdUntil} as at from ${commissions}
  where ${and(awaitsApproval(isOfCoupon), isHere(commissions.programId), lte(commissions.holdUntil, param("at")))}`;

/** Commissions whose hold, or the review that holds them, is over, and when the first of these ended (ms). One request. */
export async function readDueCommissions(
  database: Database,
  at: number,
): Promise<{ readonly commissions: number; readonly oldestAt: number | undefined }> {
  const { due } = await readBatch(database, { due: dueCommissions({ at }) });
  return { commissions: due?.commissions ?? 0, oldestAt: due?.oldestAt ?? undefined };
}
