import { and, asc, isNotNull, lte, type SQL, sql } from "drizzle-orm";
import { type Database, readOne } from "./database.ts";
import { isMoving } from "./pending-moves.ts";
import { isHere } from "./program-place.ts";
import { commissions } from "./schema/commissions.ts";
import { pendingMoves } from "./schema/customers.ts";
import { type Compiler, given, readFirst, unencoded, write } from "./statement.ts";

type Approval = { approvedAt: number; payableNumber: number };

/**
 * The condition for commissions that wait for automatic approval. `isOfCoupon` selects those attributed by a coupon.
 * Approving one makes the customer's attribution final, so sales that a running reattribution has yet to move are
 * excluded.
 */
const awaitsApproval = (isOfCoupon: boolean) =>
  and(
    sql`${commissions.status} = 'pending' and ${commissions.isUnconfirmed} = 0 and ${commissions.heldAt} is null`,
    isOfCoupon
      ? sql`${commissions.source} = 'coupon' and not (exists (select 1 from ${pendingMoves}) and ${isMoving(commissions.saleId)})`
      : sql`${commissions.source} <> 'coupon'`,
    isNotNull(commissions.holdUntil),
  );

const approveDue = (isOfCoupon: boolean) =>
  write<{ at: number; limit: number; skip: number } & Approval>((db) =>
    db
      .update(commissions)
      .set({
        status: "approved",
        approvedAt: unencoded("approvedAt"),
        approvedBy: "hold",
        payableNumber: unencoded("payableNumber"),
      })
      .where(
        sql`${commissions.id} in ${db
          .select({ id: commissions.id })
          .from(commissions)
          .where(
            and(awaitsApproval(isOfCoupon), isHere(commissions.programId), lte(commissions.holdUntil, given("at"))),
          )
          .orderBy(asc(commissions.holdUntil))
          .limit(given("limit"))
          .offset(given("skip"))}`,
      ),
  );

export const approveDueCommissions = { own: approveDue(false), ofCoupons: approveDue(true) };

/**
 * The earliest ends of holds and reviews. The first `skip` holds, the first `skipCoupons` holds of coupon sales and the
 * first `skipReviews` reviews are left out. The ends may be in the past.
 */
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
        order by c.review_until limit 1 offset ${given("skipReviews")})`,
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
      .offset(given(skip))})`;

const dueCommissions = readFirst<{ at: number }, { commissions: number; oldestAt: number | null }>((db) =>
  db.select({ commissions: sql<number>`count(*)`, oldestAt: sql<number | null>`min(due.at)` }).from(
    sql`(
      ${sql.join([false, true].map(holdsOver), sql` union all `)}
      union all
      select c.review_until from ${commissions} c where c.review_until <= ${unencoded("at")} and ${isHere(sql`c.program_id`)}
    ) due`,
  ),
);

const holdsOver = (isOfCoupon: boolean): SQL => sql`
  select ${commissions.holdUntil} as at from ${commissions}
  where ${and(awaitsApproval(isOfCoupon), isHere(commissions.programId), lte(commissions.holdUntil, unencoded("at")))}`;

/**
 * Returns the number of commissions whose hold or review has ended by `at`, and the earliest of these ends (ms). Makes
 * one database request.
 */
export async function readDueCommissions(
  database: Database,
  at: number,
): Promise<{ readonly commissions: number; readonly oldestAt: number | undefined }> {
  const due = await readOne(database, dueCommissions({ at }));
  return { commissions: due?.commissions ?? 0, oldestAt: due?.oldestAt ?? undefined };
}
