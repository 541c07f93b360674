import { and, asc, eq, getTableColumns, inArray, lte, type SQL, sql } from "drizzle-orm";
import { commissions } from "./schema/commissions.ts";
import { customers, pendingMoves } from "./schema/customers.ts";
import { leads } from "./schema/leads.ts";
import { partners, referralLinks } from "./schema/partners.ts";
import { sales } from "./schema/sales.ts";
import { type Compiler, everyColumn, insert, lookUp, lookUpFirst, param, readAll, write } from "./statement.ts";

export type CustomerRow = typeof customers.$inferSelect;
export type LeadRow = typeof leads.$inferSelect;

/** A customer, with the code and the state of the partner it is attributed to. */
export interface KnownCustomer extends CustomerRow {
  readonly partnerCode: string | null;
  readonly isPartnerActive: boolean;
  /** How far the customer's sales have followed, where some have yet to. */
  readonly movedUpTo: {
    readonly afterOccurredAt: number;
    readonly afterSaleId: number;
    readonly isPartnerActive: boolean;
    readonly isProgramActive: boolean;
    readonly policyVersion: number | null;
  } | null;
  /** Whether one of those could be the one that a `one_time` policy pays. */
  readonly isOneTimeWaiting: boolean;
}

/**
 * Who a call may speak of: the customer with that key, and of those who showed one of those clicks (a JSON array of ids
 * of this book) the few that matter.
 */
export const byMention = ["programId", "isTest", "customerKey", "clickIds"] as const;
export type Mention = Readonly<Record<(typeof byMention)[number], SQL>>;

// Of the customers who showed a click, two are enough to know that there is more than one. A browser has settled at most
// one customer with each click, and a call shows 21 at most.
export const customersByKeyOrClicks = (key: Mention): SQL => sql`(
  select id from customers
  where program_id = ${key.programId} and is_test = ${key.isTest} and customer_key = ${key.customerKey}
  union select customer_id from (${holders(key, sql`1 = 1`, 2)})
  union select customer_id from (${holders(key, sql`is_nameless = 1`, 2)})
  union select customer_id from (${holders(key, sql`has_settled_in_browser = 1`, 21)})
)`;

const holders = ({ clickIds }: Mention, which: SQL, limit: number): SQL => sql`
  select distinct customer_id from customer_clicks
  where click_id in (select value from json_each(${clickIds})) and ${which} limit ${sql.raw(String(limit))}`;

const knownCustomers = (db: Compiler, wanted: SQL) =>
  db
    .select({
      ...getTableColumns(customers),
      partnerCode: referralLinks.code,
      isPartnerActive: sql<boolean>`coalesce(${partners.status} = 'active', 0)`.mapWith(Boolean),
      movedUpTo: {
        afterOccurredAt: pendingMoves.afterOccurredAt,
        afterSaleId: pendingMoves.afterSaleId,
        isPartnerActive: pendingMoves.isPartnerActive,
        isProgramActive: pendingMoves.isProgramActive,
        policyVersion: pendingMoves.policyVersion,
      },
      isOneTimeWaiting: sql<boolean>`${pendingMoves.customerId} is not null and exists (
        select 1 from ${sales} s where s.customer_id = ${pendingMoves.customerId}
          and (s.occurred_at, s.id) > (${pendingMoves.afterOccurredAt}, ${pendingMoves.afterSaleId})
          and s.partner_id is not ${customers.partnerId}
          and not s.is_recurring and s.refunded_cents < s.amount_cents)`.mapWith(Boolean),
    })
    .from(wanted)
    .crossJoin(customers)
    .leftJoin(referralLinks, eq(referralLinks.id, customers.linkId))
    .leftJoin(partners, eq(partners.id, customers.partnerId))
    .leftJoin(pendingMoves, eq(pendingMoves.customerId, customers.id));

/** The customer with a key: all that a call without a click can speak of. */
export const customerByKey = lookUp<"programId" | "isTest" | "customerKey", KnownCustomer>(
  ["programId", "isTest", "customerKey"],
  (db, wanted, key) =>
    knownCustomers(db, wanted).where(
      and(
        eq(customers.programId, key.programId),
        eq(customers.isTest, key.isTest),
        eq(customers.customerKey, key.customerKey),
      ),
    ),
);

/** A customer by its id. */
export const customerById = lookUp<"customerId", KnownCustomer>(["customerId"], (db, wanted, key) =>
  knownCustomers(db, wanted).where(eq(customers.id, key.customerId)),
);

/** The customer of a commission of a program's live book. */
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

const bySubscription = ["programId", "isTest", "subscriptionId"] as const;

/** The newest sale of a subscription, by when it happened. */
const newestOf = (key: Readonly<Record<(typeof bySubscription)[number], SQL>>, column: string): SQL => sql`(
  select s.${sql.raw(column)} from ${sales} s
  where s.program_id = ${key.programId} and s.is_test = ${key.isTest} and s.subscription_id = ${key.subscriptionId}
  order by s.occurred_at desc, s.id desc limit 1
)`;

export const saleOfSubscription = lookUpFirst(bySubscription, (db, wanted, key) =>
  db
    .select({ id: sales.id })
    .from(wanted)
    .crossJoin(sales)
    .where(eq(sales.id, newestOf(key, "id"))),
);

/** The customer of a subscription's newest sale. */
export const customerOfSubscription = lookUpFirst<(typeof bySubscription)[number], KnownCustomer>(
  bySubscription,
  (db, wanted, key) => knownCustomers(db, wanted).where(eq(customers.id, newestOf(key, "customer_id"))),
);

export const mentionedCustomers = lookUp<keyof Mention, KnownCustomer>(byMention, (db, wanted, key) =>
  knownCustomers(db, wanted).where(
    and(inArray(customers.id, customersByKeyOrClicks(key)), eq(customers.programId, key.programId)),
  ),
);

export const mentionedLeads = lookUp(byMention, (db, wanted, key) =>
  db
    .select(getTableColumns(leads))
    .from(wanted)
    .crossJoin(leads)
    .where(inArray(leads.customerId, customersByKeyOrClicks(key))),
);

/** A lead that settled no customer, by what tells it apart. */
export const unresolvedLead = lookUpFirst(["programId", "isTest", "unsettledKey"], (db, wanted, key) =>
  db
    .select({ id: leads.id })
    .from(wanted)
    .crossJoin(leads)
    .where(
      and(eq(leads.programId, key.programId), eq(leads.isTest, key.isTest), eq(leads.unsettledKey, key.unsettledKey)),
    ),
);

export const insertCustomer = insert<CustomerRow>((db) => db.insert(customers).values(everyColumn(customers)));

/** Everything of a customer that can change. */
export const updateCustomer = write<CustomerRow>((db) =>
  db
    .update(customers)
    .set({
      customerKey: param("customerKey"),
      partnerId: param("partnerId"),
      linkId: param("linkId"),
      clickId: param("clickId"),
      clickAt: param("clickAt"),
      evidence: param("evidence"),
      model: param("model"),
      windowDays: param("windowDays"),
      windowUntil: param("windowUntil"),
      clickAgeDays: param("clickAgeDays"),
      boundAt: param("boundAt"),
      boundBy: param("boundBy"),
      confirmedAt: param("confirmedAt"),
      reason: param("reason"),
      firstSaleAt: param("firstSaleAt"),
      firstAttributedSaleAt: param("firstAttributedSaleAt"),
      oneTimeCommissionId: param("oneTimeCommissionId"),
      emailHash: param("emailHash"),
      emailMask: param("emailMask"),
    })
    .where(eq(customers.id, sql.placeholder("id"))),
);

/** A sale from before all others; of several at once the earliest stays, whatever their order. */
export const lowerFirstSale = write<{ customerId: number; at: number }>((db) =>
  db
    .update(customers)
    .set({ firstSaleAt: sql`min(coalesce(${customers.firstSaleAt}, ${param("at")}), ${param("at")})` })
    .where(eq(customers.id, sql.placeholder("customerId"))),
);

/** Keeps how far a customer's sales have followed, by the state of things at the customer's last move. */
export const savePendingMove = write<typeof pendingMoves.$inferSelect>((db) =>
  db
    .insert(pendingMoves)
    .values(everyColumn(pendingMoves))
    .onConflictDoUpdate({
      target: pendingMoves.customerId,
      set: {
        afterOccurredAt: sql`excluded.after_occurred_at`,
        afterSaleId: sql`excluded.after_sale_id`,
        isPartnerActive: sql`excluded.is_partner_active`,
        isProgramActive: sql`excluded.is_program_active`,
        policyVersion: sql`excluded.policy_version`,
      },
    }),
);

export const endPendingMove = write<{ customerId: number }>((db) =>
  db.delete(pendingMoves).where(eq(pendingMoves.customerId, sql.placeholder("customerId"))),
);

/** Customers whose sales have yet to follow, in the order of their ids: those after one, then from the first on. */
export const nextPendingMoves = readAll<{ after: number; limit: number }, { customerId: number; programId: number }>(
  (db) =>
    db
      .select({ customerId: pendingMoves.customerId, programId: sql<number>`${customers.programId}` })
      .from(pendingMoves)
      .innerJoin(customers, eq(customers.id, pendingMoves.customerId))
      .orderBy(lte(pendingMoves.customerId, sql.placeholder("after")), asc(pendingMoves.customerId))
      .limit(sql.placeholder("limit")),
);

/** Names the commission that a `one_time` policy counts as the customer's one, or none. */
export const setOneTimeCommission = write<{ customerId: number; commissionId: number | null }>((db) =>
  db
    .update(customers)
    .set({ oneTimeCommissionId: param("commissionId") })
    .where(eq(customers.id, sql.placeholder("customerId"))),
);

export const insertLead = insert<LeadRow>((db) => db.insert(leads).values(everyColumn(leads)));

/** Tells the lead of a customer, if there is one, what the customer is now. `movedOperationId` where that moves it. */
export const updateLeadOfCustomer = write<
  Pick<
    LeadRow,
    | "customerId"
    | "customerKey"
    | "evidence"
    | "partnerId"
    | "partnerCode"
    | "clickId"
    | "reason"
    | "clickAgeDays"
    | "windowDays"
  > & { movedOperationId: string | null }
>((db) =>
  db
    .update(leads)
    .set({
      movedOperationId: sql`coalesce(${sql.placeholder("movedOperationId")}, ${leads.movedOperationId})`,
      customerKey: param("customerKey"),
      evidence: param("evidence"),
      partnerId: param("partnerId"),
      partnerCode: param("partnerCode"),
      clickId: param("clickId"),
      reason: param("reason"),
      clickAgeDays: param("clickAgeDays"),
      windowDays: param("windowDays"),
    })
    .where(eq(leads.customerId, sql.placeholder("customerId"))),
);
