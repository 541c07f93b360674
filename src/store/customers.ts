import { and, eq, getTableColumns, inArray, type SQL, sql } from "drizzle-orm";
import { customerClicks, customers, leads, partners, referralLinks } from "./schema.ts";
import { type Compiler, everyColumn, insert, lookUp, lookUpFirst, param, write } from "./statement.ts";

export type CustomerRow = typeof customers.$inferSelect;
export type CustomerClickRow = typeof customerClicks.$inferSelect;
export type LeadRow = typeof leads.$inferSelect;

/** A customer, with the code and the state of the partner it is attributed to. */
export interface KnownCustomer extends CustomerRow {
  readonly partnerCode: string | null;
  readonly isPartnerActive: boolean;
}

/**
 * Who a call may speak of: the customer with that key, and of those who showed one of those clicks (a JSON array of ids
 * of this book) the few that matter.
 */
const byMention = ["programId", "isTest", "customerKey", "clickIds"] as const;
type Mention = Readonly<Record<(typeof byMention)[number], SQL>>;

// Of the customers who showed a click, two are enough to know that there is more than one. A browser has settled at most
// one customer with each click, and a call shows 21 at most.
const mentioned = (key: Mention): SQL => sql`(
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
    })
    .from(wanted)
    .crossJoin(customers)
    .leftJoin(referralLinks, eq(referralLinks.id, customers.linkId))
    .leftJoin(partners, eq(partners.id, customers.partnerId));

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

export const mentionedCustomers = lookUp<keyof Mention, KnownCustomer>(byMention, (db, wanted, key) =>
  knownCustomers(db, wanted).where(and(inArray(customers.id, mentioned(key)), eq(customers.programId, key.programId))),
);

export const mentionedClicks = lookUp(byMention, (db, wanted, key) =>
  db
    .select(getTableColumns(customerClicks))
    .from(wanted)
    .crossJoin(customerClicks)
    .where(inArray(customerClicks.customerId, mentioned(key))),
);

export const mentionedLeads = lookUp(byMention, (db, wanted, key) =>
  db
    .select(getTableColumns(leads))
    .from(wanted)
    .crossJoin(leads)
    .where(inArray(leads.customerId, mentioned(key))),
);

/** A lead that settled no customer, by what tells it apart. */
export const unsettledLead = lookUpFirst(["programId", "isTest", "unsettledKey"], (db, wanted, key) =>
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
      clickAgeDays: param("clickAgeDays"),
      reason: param("reason"),
      firstSaleAt: param("firstSaleAt"),
      firstAttributedSaleAt: param("firstAttributedSaleAt"),
      emailHash: param("emailHash"),
      emailMask: param("emailMask"),
    })
    .where(eq(customers.id, sql.placeholder("id"))),
);

/** Keeps a click with its customer; evidence only ever grows stronger. */
export const keepClick = insert<CustomerClickRow>((db) =>
  db
    .insert(customerClicks)
    .values(everyColumn(customerClicks))
    .onConflictDoUpdate({
      target: [customerClicks.customerId, customerClicks.clickId],
      set: { evidence: sql`excluded.evidence` },
      setWhere: sql`excluded.evidence = 'key'`,
    }),
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

/** The customer has a key from now on. */
export const nameClicks = write<{ customerId: number }>((db) =>
  db
    .update(customerClicks)
    .set({ isNameless: sql`0` })
    .where(eq(customerClicks.customerId, sql.placeholder("customerId"))),
);
