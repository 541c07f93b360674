import { and, asc, eq, getTableColumns, inArray, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import type { HeldBy } from "#domain/commission-status.ts";
import type { FrozenRenewal, MovedFrom } from "#domain/explain/frozen.ts";
import type { PartnerId, SaleId } from "#domain/ids.ts";
import type { PolicyScope } from "#domain/policy-terms.ts";
import type { Hold, NearbySale } from "#domain/risk.ts";
import type { CommissionRow } from "./commissions.ts";
import { nearbyEarlierSale } from "./nearby-sale.ts";
import { heldBy } from "./payout-ranges.ts";
import { commissions } from "./schema/commissions.ts";
import { customers } from "./schema/customers.ts";
import { commissionPolicies } from "./schema/policies.ts";
import { refunds } from "./schema/refunds.ts";
import { sales } from "./schema/sales.ts";
import { type Compiler, everyColumn, insert, lookUp, lookUpFirst, update } from "./statement.ts";

export type SaleRow = typeof sales.$inferSelect;

// Excludes columns that decisions don't need: long texts, the sub-id and the number of the event.
const { lineItems: _items, ...saleColumns } = getTableColumns(sales);
const {
  explanation: _explanation,
  sub: _sub,
  eventSeq: _eventSeq,
  ...commissionColumns
} = getTableColumns(commissions);

export const recordedColumns = {
  sale: saleColumns,
  commission: commissionColumns,
  policyScope: commissionPolicies.scope,
};

export interface RecordedSale {
  readonly sale: Omit<SaleRow, "lineItems">;
  readonly commission: Omit<CommissionRow, "explanation" | "sub" | "eventSeq">;
  /** Null if no policy decided the commission. */
  readonly policyScope: PolicyScope | null;
  /** `paid` or `final`: whether the live line that pays the commission is paid. Null if there is none. */
  readonly heldBy: HeldBy | null;
}

export const byTransaction = ["programId", "isTest", "transactionId"] as const;

export const hasTransaction = (key: Readonly<Record<(typeof byTransaction)[number], SQL>>) =>
  and(eq(sales.programId, key.programId), eq(sales.isTest, key.isTest), eq(sales.transactionId, key.transactionId));

const newestVersionWhere = (condition: SQL): SQL => sql`(
  select coalesce((
    select n.id from ${sales} n where n.corrected_sale_id = coalesce(o.corrected_sale_id, o.id)
    order by n.correction desc limit 1
  ), o.id)
  from ${sales} o where ${condition}
)`;

/** The newest version of a sale, found by the transaction id of any version. */
export const newestIdOf = (key: Readonly<Record<(typeof byTransaction)[number], SQL>>): SQL =>
  newestVersionWhere(
    sql`o.program_id = ${key.programId} and o.is_test = ${key.isTest} and o.transaction_id = ${key.transactionId}`,
  );

/** The newest version of a sale, found by the id of any version. */
export const newestVersionOf = (saleId: SQL): SQL => newestVersionWhere(sql`o.id = ${saleId}`);

export const isNewestOf = (key: Parameters<typeof newestIdOf>[0]): SQL => sql`${sales.id} = ${newestIdOf(key)}`;

const recordedSales = (db: Compiler, wanted: SQL) =>
  db
    .select({ ...recordedColumns, heldBy: heldBy() })
    .from(wanted)
    .crossJoin(sales)
    .innerJoin(commissions, eq(commissions.saleId, sales.id))
    .leftJoin(commissionPolicies, eq(commissionPolicies.id, commissions.policyId));

export const newestSaleByTransaction = lookUpFirst<(typeof byTransaction)[number], RecordedSale>(
  byTransaction,
  (db, wanted, key) => recordedSales(db, wanted).where(isNewestOf(key)),
);

export const saleById = lookUpFirst<"programId" | "id", RecordedSale>(["programId", "id"], (db, wanted, key) =>
  recordedSales(db, wanted).where(
    and(eq(sales.id, key.id), eq(sales.programId, key.programId), sql`${sales.isTest} = 0`),
  ),
);

/** The sale that corrected this one. */
export const correctionOfSale = lookUpFirst<"programId" | "id", RecordedSale>(["programId", "id"], (db, wanted, key) =>
  recordedSales(db, wanted).where(sql`${sales.id} = (
    select n.id from ${sales} o join ${sales} n on n.corrected_sale_id = coalesce(o.corrected_sale_id, o.id)
      and n.correction = coalesce(o.correction, 0) + 1
    where o.id = ${key.id} and o.program_id = ${key.programId}
  )`),
);

/**
 * True if a correction replaced the sale with alias `s`. A replaced sale is always fully refunded, so comparing the
 * amounts first avoids the lookup for most sales.
 */
export const isReplacedBy = (s: SQL): SQL => sql`(${s}.refunded_cents = ${s}.amount_cents and exists (
  select 1 from ${sales} n
  where n.corrected_sale_id = coalesce(${s}.corrected_sale_id, ${s}.id) and n.correction > coalesce(${s}.correction, 0)
))`;

export const bySubscription = ["programId", "isTest", "subscriptionId"] as const;

export const isReplacedSale = isReplacedBy(sql.raw('"sales"'));

/** True if a correction replaced the sale with alias `s`. */
export const isReplaced = isReplacedBy(sql.raw("s"));

export const newestOfSubscription = (
  key: Readonly<Record<(typeof bySubscription)[number], SQL>>,
  column: string,
  condition = sql`1 = 1`,
): SQL => sql`(
  select s.${sql.raw(column)} from ${sales} s
  where s.program_id = ${key.programId} and s.is_test = ${key.isTest} and s.subscription_id = ${key.subscriptionId}
    and ${condition} and not ${isReplaced}
  order by s.occurred_at desc, s.id desc limit 1
)`;

export const saleOfSubscription = lookUpFirst(bySubscription, (db, wanted, key) =>
  db
    .select({ id: sales.id })
    .from(wanted)
    .crossJoin(sales)
    .where(eq(sales.id, newestOfSubscription(key, "id"))),
);

/**
 * Always returns one row: the newest sale of the subscription up to an instant, and whether the subscription was
 * imported.
 */
export const earlierPayment = lookUpFirst<(typeof bySubscription)[number] | "occurredAt", FrozenRenewal>(
  [...bySubscription, "occurredAt"],
  (db, wanted, key) =>
    db
      .select({
        saleId: sql<SaleId | null>`${newestOfSubscription(key, "id", sql`s.occurred_at <= ${key.occurredAt}`)}`,
        isImported: sql<boolean>`exists (
        select 1 from ${customers} u where u.program_id = ${key.programId} and u.is_test = ${key.isTest}
          and u.imported_subscription_id = ${key.subscriptionId}
      )`.mapWith(Boolean),
      })
      .from(wanted),
);

const afterKey = ["customerId", "afterOccurredAt", "afterSaleId"] as const;
type AfterKey = Readonly<Record<(typeof afterKey)[number], SQL>>;

export interface StepSize {
  readonly sales: number;
  readonly refunds: number;
}

/**
 * Limits of one step of a reattribution. `many`: a step for one customer. `few`: a step for each of a hundred
 * customers. `least`: a step within a call that has other things to read and write.
 */
export const stepSizes = {
  many: { sales: 100, refunds: 1_000 },
  few: { sales: 20, refunds: 40 },
  least: { sales: 5, refunds: 10 },
} as const;

const salesAfter = (key: AfterKey, most: number, columns = sql`s.id`): SQL => sql`(
  select ${columns} from ${sales} s where s.customer_id = ${key.customerId}
    and (s.occurred_at, s.id) > (${key.afterOccurredAt}, ${key.afterSaleId})
  order by s.occurred_at, s.id limit ${sql.raw(String(most))}
)`;

/** Data by which the rules of a policy judge a sale. */
const itemColumns = {
  productId: sales.productId,
  items: sales.items,
  coupons: sales.coupons,
  subscriptionInterval: sales.subscriptionInterval,
};

interface Move {
  readonly partnerId: PartnerId;
  readonly amountCents: number;
}

/**
 * False for commissions that can't move again or have never moved, so that their entries aren't read. An unconfirmed commission of a click has moved if a correction returned its customer to the click.
 */
const mayHaveMoved = sql`(coalesce(${commissions.source}, 'coupon') = 'coupon'
  or (${commissions.isUnconfirmed} and ${commissions.explanation} -> '$.movedFrom' is not null))`;

const followingColumns = {
  sale: {
    id: sales.id,
    programId: sales.programId,
    isTest: sales.isTest,
    transactionId: sales.transactionId,
    amountCents: sales.amountCents,
    currency: sales.currency,
    refundedCents: sales.refundedCents,
    isRecurring: sales.isRecurring,
    ...itemColumns,
    occurredAt: sales.occurredAt,
    day: sales.day,
    partnerId: sales.partnerId,
    partnerCode: sales.partnerCode,
    isReplaced: sql<boolean>`${isReplacedSale}`.mapWith(Boolean),
    /** Set only for a sale that earned nothing and hasn't been checked for a duplicate. */
    nearbySale:
      sql<NearbySale | null>`iif(${commissions.status} = 'void' and not exists (select 1 from commission_signals g
      where g.commission_id = ${commissions.id} and g.code = 'duplicate_source'), ${nearbyEarlierSale}, null)`.mapWith(
        (json: string) => JSON.parse(json) as NearbySale,
      ),
  },
  commission: {
    id: commissions.id,
    partnerId: commissions.partnerId,
    status: commissions.status,
    isUnconfirmed: commissions.isUnconfirmed,
    source: commissions.source,
    approvedAt: commissions.approvedAt,
    amountCents: commissions.amountCents,
    currency: commissions.currency,
    holdUntil: commissions.holdUntil,
    /**
     * True if the commission once earned an amount for an earlier partner. It is void now because it has no partner, or
     * a partner who earns nothing.
     */
    hasEarned: sql<boolean>`${commissions.status} = 'void' and ${mayHaveMoved} and exists (
      select 1 from ledger_entries e where e.commission_id = ${commissions.id} and e.kind = 'earned')`.mapWith(Boolean),
    /**
     * The earlier moves of a commission that may move again. A commission moves at most once to each partner, and at
     * most once from each partner.
     */
    moves: sql<readonly Move[] | null>`iif(${mayHaveMoved}, (
      select json_group_array(json_object('partnerId', e.partner_id, 'amountCents', e.amount_cents))
      from ledger_entries e where e.commission_id = ${commissions.id} and e.kind = 'moved'), null)`.mapWith(
      (json: string) => JSON.parse(json) as readonly Move[],
    ),
    /** The partner from whom the commission moved. If the commission has no partner, the last partner that it had. */
    movedFrom: sql<MovedFrom | null>`${commissions.explanation} -> '$.movedFrom'`.mapWith(
      (json: string) => JSON.parse(json) as MovedFrom,
    ),
    /** The instant of the sale whose coupon attributed the commission. */
    couponSince: sql<
      number | null
    >`iif(${commissions.source} = 'coupon', ${commissions.explanation} ->> '$.direct.since', null)`,
    renewal: sql<FrozenRenewal | null>`${commissions.explanation} -> '$.renewal'`.mapWith(
      (json: string) => JSON.parse(json) as FrozenRenewal,
    ),
    lastSignalAt: sql<number | null>`(
      select max(g.raised_at) from commission_signals g where g.commission_id = ${commissions.id})`,
    /** The hold that doesn't depend on the partner. It remains when the commission moves to another partner. */
    keptHold: sql<Hold | null>`(
      select json_object('heldAt', min(g.raised_at), 'reviewUntil', iif(count(*) = count(g.review_until), max(g.review_until), null))
      from commission_signals g where g.commission_id = ${commissions.id} and g.effect = 'hold' and g.ended_at is null
        and g.partner_id is null group by g.commission_id)`.mapWith((json: string) => JSON.parse(json) as Hold),
  },
};

const followingRefundColumns = {
  id: refunds.id,
  saleId: refunds.saleId,
  status: refunds.status,
  countedCents: refunds.countedCents,
  occurredAt: refunds.occurredAt,
  day: refunds.day,
};

/**
 * The values of a sale that decide whether a policy with scope `one_time` could pay it. The sale is still to be moved
 * by a later step of the reattribution.
 */
export type WaitingSale = Pick<
  SaleRow,
  "id" | "partnerId" | "amountCents" | "currency" | "occurredAt" | keyof typeof itemColumns
>;

/** Limits the number of later sales that are read, including renewals. */
const mostWaiting = 1_000;

/** True if a sale that the reattribution hasn't moved yet could earn a `one_time` commission. */
export const hasWaiting = (
  move: Readonly<Record<keyof AfterKey, SQLWrapper>>,
  partnerId: SQLWrapper,
): SQL => sql`exists (
  select 1 from (
    select s.partner_id, s.is_recurring, s.refunded_cents, s.amount_cents from ${sales} s
    where s.customer_id = ${move.customerId}
      and (s.occurred_at, s.id) > (${move.afterOccurredAt}, ${move.afterSaleId})
    order by s.occurred_at, s.id limit ${sql.raw(String(stepSizes.many.sales + mostWaiting))}
  ) following where following.partner_id is not ${partnerId}
    and not following.is_recurring and following.refunded_cents < following.amount_cents)`;

const following = ({ sales: mostSales, refunds: mostRefunds }: StepSize) => ({
  /** Earliest first. One row more than the limit shows that there are more. */
  sales: lookUp(afterKey, (db, wanted, key) =>
    db
      .select(followingColumns)
      .from(wanted)
      .crossJoin(sales)
      // The unary plus keeps SQLite from building the list again for each commission.
      .innerJoin(commissions, sql`${commissions.saleId} = +${sales.id}`)
      .where(inArray(sales.id, salesAfter(key, mostSales + 1)))
      .orderBy(asc(sales.occurredAt), asc(sales.id)),
  ),
  /** Refunds of these sales, in the order of recording. One row more than the limit shows that there are more. */
  refunds: lookUp(afterKey, (db, wanted, key) =>
    db
      .select(followingRefundColumns)
      .from(wanted)
      .crossJoin(refunds)
      .where(
        inArray(
          refunds.id,
          sql`(
            select r.id from ${salesAfter(key, mostSales, sql`s.id, s.occurred_at`)} following
              cross join ${refunds} r on r.sale_id = following.id
            order by following.occurred_at, following.id limit ${sql.raw(String(mostRefunds + 1))}
          )`,
        ),
      )
      .orderBy(asc(refunds.id)),
  ),
  /** The sales after this step that a `one_time` policy could pay, earliest first. */
  behind: lookUp<(typeof afterKey)[number], WaitingSale>(afterKey, (db, wanted, key) =>
    db
      .select({
        id: sales.id,
        partnerId: sales.partnerId,
        amountCents: sales.amountCents,
        currency: sales.currency,
        occurredAt: sales.occurredAt,
        ...itemColumns,
      })
      .from(wanted)
      .crossJoin(sales)
      .where(
        inArray(
          sales.id,
          sql`(
            select following.id from (
              select s.* from ${sales} s where s.customer_id = ${key.customerId}
                and (s.occurred_at, s.id) > (
                  select e.occurred_at, e.id from ${sales} e where e.customer_id = ${key.customerId}
                    and (e.occurred_at, e.id) > (${key.afterOccurredAt}, ${key.afterSaleId})
                  order by e.occurred_at, e.id limit 1 offset ${sql.raw(String(mostSales - 1))})
              order by s.occurred_at, s.id limit ${sql.raw(String(mostWaiting))}
            ) following where not following.is_recurring and following.refunded_cents < following.amount_cents)`,
        ),
      ),
  ),
});

export const nextSales = following(stepSizes.many);
export const nextFewSales = following(stepSizes.few);
export const nextLeastSales = following(stepSizes.least);
/** A step that moves a single sale with any number of refunds. */
export const nextSaleAlone = following({ sales: 1, refunds: Number.MAX_SAFE_INTEGER - 1 });

type Decoded<Look extends (values: never) => { decode(rows: never): readonly unknown[] }> = ReturnType<
  ReturnType<Look>["decode"]
>[number];
export type FollowingSale = Decoded<typeof nextSales.sales>;
export type FollowingRefund = Decoded<typeof nextSales.refunds>;

export const insertSale = insert<SaleRow>((db) => db.insert(sales).values(everyColumn(sales)));

export const attributeSale = update(
  sales,
  ["id"],
  ["partnerId", "partnerCode", "reason", "clickAgeDays", "windowDays"],
);

export const setRefundedCents = update(sales, ["id"], ["refundedCents"]);
