import { and, eq, getTableColumns, inArray, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import type { PartnerId, ProgramId, SaleId } from "#domain/ids.ts";
import type { NearbySale } from "#domain/risk.ts";
import { isMoving } from "./pending-moves.ts";
import { bySubscription, byTransaction, hasWaiting, isNewestOf, isReplaced, newestOfSubscription } from "./sales.ts";
import { clicks } from "./schema/clicks.ts";
import { commissions } from "./schema/commissions.ts";
import { customers, pendingMoves } from "./schema/customers.ts";
import { partners, referralLinks } from "./schema/partners.ts";
import { sales } from "./schema/sales.ts";
import {
  type Compiler,
  change,
  everyColumn,
  insert,
  lookUp,
  lookUpFirst,
  readCount,
  unencoded,
  update,
  type Write,
} from "./statement.ts";

export type CustomerRow = typeof customers.$inferSelect;

export interface KnownCustomer extends CustomerRow {
  readonly partnerCode: string | null;
  readonly isPartnerActive: boolean;
  readonly isPartnerExempt: boolean;
  readonly partnerExternalId: string | null;
  /**
   * Partners who have the customer's email address. For an erased customer, those partners for whom a signal had
   * reported this before the erasure. Null if no address is known.
   */
  readonly addressOf: readonly PartnerId[] | null;
  /** Like `addressOf`, but for similar addresses. */
  readonly similarTo: readonly PartnerId[] | null;
  /** Referrer of the click that decided the attribution. */
  readonly referrerUrl: string | null;
  /** The last sale moved by a running reattribution, and the values stored when it began. Null if none is running. */
  readonly movedUpTo: {
    readonly afterOccurredAt: number;
    readonly afterSaleId: SaleId;
    readonly isPartnerActive: boolean;
    readonly isProgramActive: boolean;
    readonly policyVersion: number;
  } | null;
  /** True if a sale that a running reattribution has yet to move could earn a `one_time` commission. */
  readonly isOneTimeWaiting: boolean;
  /** An earlier sale that the new one may duplicate. */
  readonly nearbySale: NearbySale | null;
}

/** `clickIds` is a JSON array of ids of the program's clicks, live or test as `isTest` says. */
export const byKeyOrClicks = ["programId", "isTest", "customerKey", "clickIds"] as const;
export type KeyOrClicks = Readonly<Record<(typeof byKeyOrClicks)[number], SQL>>;

// Very many customers may have reported the same click. Reading two of them is enough to find that there are several.
// For each click, a browser's lead creates at most one customer, and a call has at most 21 clicks.
export const customerIdsByKeyOrClicks = (key: KeyOrClicks): SQL => sql`(
  select id from customers
  where program_id = ${key.programId} and is_test = ${key.isTest} and customer_key = ${key.customerKey}
  union select customer_id from (${reportersOf(key, sql`1 = 1`, 2)})
  union select customer_id from (${reportersOf(key, sql`is_nameless = 1`, 2)})
  union select customer_id from (${reportersOf(key, sql`has_settled_in_browser = 1`, 21)})
)`;

const reportersOf = ({ clickIds }: KeyOrClicks, condition: SQL, limit: number): SQL => sql`
  select distinct customer_id from customer_clicks
  where click_id in (select value from json_each(${clickIds})) and evidence <> 'moved' and ${condition} limit ${sql.raw(String(limit))}`;

const partnersByAddress =
  (hash: "email_hash" | "similar_hash") =>
  (programId: SQL, value: SQL): SQL =>
    sql`
  select o.id from ${partners} o where o.program_id = ${programId} and o.${sql.raw(hash)} = ${value}
  union select a.partner_id from partner_accounts a where a.program_id = ${programId} and a.${sql.raw(hash)} = ${value}`;

/** Partners whose own address, or that of an account with access to them, has this digest. */
export const partnersOfAddress = partnersByAddress("email_hash");
export const partnersOfSimilar = partnersByAddress("similar_hash");

const parsed = <T>(text: SQL) => sql<T | null>`${text}`.mapWith((json: string) => JSON.parse(json) as T);

/** `nearbySale` is an expression that is passed only if the call records a sale. */
export const knownCustomers = (db: Compiler, wanted: SQL, nearbySale = sql`null`) =>
  db
    .select({
      ...getTableColumns(customers),
      partnerCode: referralLinks.code,
      isPartnerActive: sql<boolean>`coalesce(${partners.status} = 'active', 0)`.mapWith(Boolean),
      isPartnerExempt: sql<boolean>`coalesce(${partners.isRiskExempt}, 0)`.mapWith(Boolean),
      partnerExternalId: partners.externalId,
      addressOf: parsed<readonly PartnerId[]>(sql`case when ${customers.emailHash} is null
        then ${customers.erasedEvidence} -> '$.addressOf' else (
          select json_group_array(id) from (${partnersOfAddress(sql`${customers.programId}`, sql`${customers.emailHash}`)})) end`),
      similarTo: parsed<readonly PartnerId[]>(sql`case when ${customers.similarHash} is null
        then ${customers.erasedEvidence} -> '$.similarTo' else (
          select json_group_array(id) from (${partnersOfSimilar(sql`${customers.programId}`, sql`${customers.similarHash}`)})) end`),
      referrerUrl: sql<
        string | null
      >`coalesce((select k.referrer_url from ${clicks} k where k.click_id = ${customers.clickId}),
        iif(${customers.erasedEvidence} ->> '$.partnerId' = ${customers.partnerId}, ${customers.erasedEvidence} ->> '$.referrerUrl', null))`,
      nearbySale: parsed<NearbySale>(nearbySale),
      movedUpTo: {
        afterOccurredAt: pendingMoves.afterOccurredAt,
        afterSaleId: pendingMoves.afterSaleId,
        isPartnerActive: pendingMoves.isPartnerActive,
        isProgramActive: pendingMoves.isProgramActive,
        policyVersion: pendingMoves.policyVersion,
      },
      isOneTimeWaiting: sql<boolean>`${pendingMoves.customerId} is not null
        and ${hasWaiting(pendingMoves, customers.partnerId)}`.mapWith(Boolean),
    })
    .from(wanted)
    .crossJoin(customers)
    .leftJoin(referralLinks, eq(referralLinks.id, customers.linkId))
    .leftJoin(partners, eq(partners.id, customers.partnerId))
    .leftJoin(pendingMoves, eq(pendingMoves.customerId, customers.id));

export const byKey = ["programId", "isTest", "customerKey"] as const;
export const hasKey = (key: Readonly<Record<(typeof byKey)[number], SQL>>) =>
  and(
    eq(customers.programId, key.programId),
    eq(customers.isTest, key.isTest),
    eq(customers.customerKey, key.customerKey),
  );

export const customerByKey = lookUp<(typeof byKey)[number], KnownCustomer>(byKey, (db, wanted, key) =>
  knownCustomers(db, wanted).where(hasKey(key)),
);

export const customerById = lookUp<"customerId", KnownCustomer>(["customerId"], (db, wanted, key) =>
  knownCustomers(db, wanted).where(eq(customers.id, key.customerId)),
);

export const maxCountedUnconfirmed = 100;

/** Of the customer's newest 100 sales before an instant (ms), the number that have an unconfirmed commission. */
export const unconfirmedSalesBefore = readCount<{ programId: ProgramId; customerKey: string; before: number }>((db) =>
  db
    .select({ n: sql<number>`count(*)` })
    .from(
      sql`(select s.id from ${sales} s
        where s.customer_id = (select u.id from ${customers} u where u.program_id = ${unencoded("programId")}
          and u.is_test = 0 and u.customer_key = ${unencoded("customerKey")}) and s.occurred_at < ${unencoded("before")}
        order by s.occurred_at desc limit ${sql.raw(String(maxCountedUnconfirmed))}) found
        cross join ${commissions} c on c.sale_id = found.id`,
    )
    .where(sql`c.is_unconfirmed = 1 and c.status = 'pending'`),
);

export const customerOfCommission = lookUpFirst<"programId" | "id", KnownCustomer>(
  ["programId", "id"],
  (db, wanted, key) =>
    knownCustomers(db, wanted).where(
      eq(
        customers.id,
        sql`(
          select s.customer_id from ${commissions} c join ${sales} s on s.id = c.sale_id
          where c.id = ${key.id} and c.program_id = ${key.programId} and c.is_test = 0
        )`,
      ),
    ),
);

/** The customer to whom a subscription belongs: the customer of its newest sale, or the customer imported with it. */
export const subscriberOf = (key: Readonly<Record<(typeof bySubscription)[number], SQL>>): SQL =>
  sql`coalesce(${newestOfSubscription(key, "customer_id")}, (
    select u.id from ${customers} u
    where u.program_id = ${key.programId} and u.is_test = ${key.isTest}
      and u.imported_subscription_id = ${key.subscriptionId}
  ))`;

export const hasSubscription = (key: Parameters<typeof subscriberOf>[0]) => eq(customers.id, subscriberOf(key));

export const customerOfSubscription = lookUpFirst<(typeof bySubscription)[number], KnownCustomer>(
  bySubscription,
  (db, wanted, key) => knownCustomers(db, wanted).where(hasSubscription(key)),
);

export const byIds = (key: KeyOrClicks) =>
  and(inArray(customers.id, customerIdsByKeyOrClicks(key)), eq(customers.programId, key.programId));

export const customersByKeyOrClicks = lookUp<keyof KeyOrClicks, KnownCustomer>(byKeyOrClicks, (db, wanted, key) =>
  knownCustomers(db, wanted).where(byIds(key)),
);

export const insertCustomer = insert<CustomerRow>((db) => db.insert(customers).values(everyColumn(customers)));

export const updateCustomer = update(
  customers,
  ["id"],
  [
    "customerKey",
    "partnerId",
    "source",
    "linkId",
    "since",
    "clickId",
    "clickAt",
    "evidence",
    "model",
    "windowDays",
    "windowUntil",
    "clickAgeDays",
    "boundAt",
    "boundBy",
    "confirmedAt",
    "reason",
    "firstSaleAt",
    "firstAttributedSaleAt",
    "oneTimeCommissionId",
    "emailHash",
    "similarHash",
    "emailMask",
    "addressMarks",
  ],
);

const salesColumns = ["firstSaleAt", "firstAttributedSaleAt", "oneTimeCommissionId"] as const;
type SalesColumn = (typeof salesColumns)[number];

const setSales = update(customers, ["id"], salesColumns);

/**
 * Writes only `salesColumns` if nothing else has changed, which is so for most sales. None of these columns has an
 * index. Setting an indexed column would rewrite its index entries even if its value stayed the same.
 */
export function changeCustomer(from: CustomerRow, to: CustomerRow): readonly Write[] {
  const changed = (Object.keys(to) as (keyof CustomerRow)[]).filter((column) => from[column] !== to[column]);
  if (changed.length === 0) return [];
  const isSales = (column: keyof CustomerRow): column is SalesColumn => salesColumns.some((each) => each === column);
  return [changed.every(isSales) ? setSales(to) : updateCustomer(to)];
}

/** Sets both columns. A value that is already stored must be passed unchanged. */
export const setImported = update(customers, ["id"], ["importedFirstSaleAt", "importedSubscriptionId"]);

/** Idempotent and independent of order: of several sales in one commit, the earliest one decides. */
export const lowerFirstSale = change(["customerId", "at"], (db, wanted, { customerId, at }) =>
  db
    .update(customers)
    .set({ firstSaleAt: sql`min(coalesce(${customers.firstSaleAt}, earliest.at), earliest.at)` })
    .from(sql`(select ${customerId} as id, min(${at}) as at from ${wanted} group by 1) as earliest`)
    .where(sql`${customers.id} = earliest.id`),
);

export const setFirstSales = update(customers, ["id"], ["firstSaleAt", "firstAttributedSaleAt"]);

/** The instant of the earliest of the customer's other sales, none of which is before `from`. */
export const firstOfOthers = (saleId: SQL, from: SQLWrapper, condition = sql`1 = 1`) => sql<number | null>`(
  select s.occurred_at from ${sales} s
  where s.customer_id = ${customers.id} and s.occurred_at >= ${from} and s.id <> ${saleId} and ${condition}
    and not ${isReplaced}
  order by s.occurred_at limit 1
)`;

/** The search for the sale that attributes the customer covers at most this many first sales. */
const mostToBind = 50;

/**
 * A subquery `f` of the customer's first sales in chronological order. Their number is limited, because a correction
 * may read only so many. `first_id` is the id of the sale as first reported.
 */
export const firstSalesOf = (customerId: SQL, condition = sql`1 = 1`): SQL => sql`(
  select s.id, s.occurred_at, s.coupons, coalesce(s.corrected_sale_id, s.id) as first_id from ${sales} s
  where s.customer_id = ${customerId} and ${condition}
  order by s.occurred_at, s.id limit ${sql.raw(String(mostToBind))}) f`;

/** The instants of a customer's first sales, with and without this sale. */
export const firstSalesWithout = lookUpFirst(["customerId", "saleId"], (db, wanted, key) =>
  db
    .select({
      id: customers.id,
      partnerId: customers.partnerId,
      clickAt: customers.clickAt,
      windowDays: customers.windowDays,
      windowUntil: customers.windowUntil,
      boundAt: customers.boundAt,
      boundBy: customers.boundBy,
      since: customers.since,
      source: customers.source,
      confirmedAt: customers.confirmedAt,
      firstSaleAt: customers.firstSaleAt,
      firstAttributedSaleAt: customers.firstAttributedSaleAt,
      others: {
        firstSaleAt: firstOfOthers(key.saleId, customers.firstSaleAt),
        /** The instant of the first sale among those reported before this sale. Used only for a sale with a coupon. */
        firstBefore: sql<number | null>`(
          select min(f.occurred_at) from ${sales} o join ${firstSalesOf(
            sql`${customers.id}`,
            sql`s.occurred_at >= ${customers.firstSaleAt} and s.id <> ${key.saleId} and not ${isReplaced}`,
          )} on f.first_id < coalesce(o.corrected_sale_id, o.id)
          where o.id = ${key.saleId} and o.coupons is not null)`,
        firstAttributedSaleAt: firstOfOthers(
          key.saleId,
          customers.firstAttributedSaleAt,
          sql`s.partner_id = ${customers.partnerId}`,
        ),
      },
    })
    .from(wanted)
    .crossJoin(customers)
    .where(eq(customers.id, key.customerId)),
);

export const setOneTimeCommission = update(customers, ["id"], ["oneTimeCommissionId"]);

export const buyerOfSale = lookUpFirst(byTransaction, (db, wanted, key) =>
  db
    .select({
      id: customers.id,
      partnerId: customers.partnerId,
      oneTimeCommissionId: customers.oneTimeCommissionId,
      emailHash: customers.emailHash,
      isTest: customers.isTest,
      /** True if a running reattribution hasn't moved the sale yet. */
      isMoving: isMoving(sales.id),
    })
    .from(wanted)
    .crossJoin(sales)
    .innerJoin(customers, eq(customers.id, sales.customerId))
    .where(isNewestOf(key)),
);
