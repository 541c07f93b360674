import { and, eq, getTableColumns, inArray, type SQL, sql } from "drizzle-orm";
import { customerClicks, customers, leads, partners, referralLinks } from "./schema.ts";
import { type Compiler, everyColumn, param, readAll, readFirst, write } from "./statement.ts";

export type CustomerRow = typeof customers.$inferSelect;
export type CustomerClickRow = typeof customerClicks.$inferSelect;
export type LeadRow = typeof leads.$inferSelect;

/** A customer, with the code and the state of the partner it is attributed to. */
export interface KnownCustomer extends CustomerRow {
  readonly partnerCode: string | null;
  readonly isPartnerActive: boolean;
}

/** Who a call may speak of: the customer with that key, and of those who showed one of those clicks the few that matter. */
export interface Mentioned extends Record<string, unknown> {
  readonly programId: number;
  readonly isTest: boolean;
  readonly customerKey: string | null;
  /** JSON array of click ids of this book. */
  readonly clickIds: string;
}

// Of the customers who showed a click, two are enough to know that there is more than one. A browser has settled at most
// one customer with each click, and a call shows 21 at most.
const mentioned = (): SQL => sql`(
  select id from customers
  where program_id = ${sql.placeholder("programId")} and is_test = ${sql.placeholder("isTest")}
    and customer_key = ${sql.placeholder("customerKey")}
  union select customer_id from (${holders(sql`1 = 1`, 2)})
  union select customer_id from (${holders(sql`is_nameless = 1`, 2)})
  union select customer_id from (${holders(sql`has_settled_in_browser = 1`, 21)})
)`;

const holders = (which: SQL, limit: number): SQL => sql`
  select distinct customer_id from customer_clicks
  where click_id in (select value from json_each(${sql.placeholder("clickIds")})) and ${which} limit ${sql.raw(String(limit))}`;

const knownCustomers = (db: Compiler) =>
  db
    .select({
      ...getTableColumns(customers),
      partnerCode: referralLinks.code,
      isPartnerActive: sql<boolean>`coalesce(${partners.status} = 'active', 0)`.mapWith(Boolean),
    })
    .from(customers)
    .leftJoin(referralLinks, eq(referralLinks.id, customers.linkId))
    .leftJoin(partners, eq(partners.id, customers.partnerId));

/** The customer with a key: all that a call without a click can speak of. */
export const customerByKey = readAll<{ programId: number; isTest: boolean; customerKey: string | null }, KnownCustomer>(
  (db) =>
    knownCustomers(db).where(
      and(
        eq(customers.programId, sql.placeholder("programId")),
        eq(customers.isTest, param("isTest")),
        eq(customers.customerKey, sql.placeholder("customerKey")),
      ),
    ),
);

export const mentionedCustomers = readAll<Mentioned, KnownCustomer>((db) =>
  knownCustomers(db).where(
    and(inArray(customers.id, mentioned()), eq(customers.programId, sql.placeholder("programId"))),
  ),
);

export const mentionedClicks = readAll<Mentioned, CustomerClickRow>((db) =>
  db.select().from(customerClicks).where(inArray(customerClicks.customerId, mentioned())),
);

export const mentionedLeads = readAll<Mentioned, LeadRow>((db) =>
  db.select().from(leads).where(inArray(leads.customerId, mentioned())),
);

/** A lead that settled no customer, by what tells it apart. */
export const unsettledLead = readFirst<{ programId: number; isTest: boolean; unsettledKey: string }, { id: number }>(
  (db) =>
    db
      .select({ id: leads.id })
      .from(leads)
      .where(
        and(
          eq(leads.programId, sql.placeholder("programId")),
          eq(leads.isTest, param("isTest")),
          eq(leads.unsettledKey, sql.placeholder("unsettledKey")),
        ),
      ),
);

export const insertCustomer = write<CustomerRow>((db) => db.insert(customers).values(everyColumn(customers)));

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
export const keepClick = write<CustomerClickRow>((db) =>
  db
    .insert(customerClicks)
    .values(everyColumn(customerClicks))
    .onConflictDoUpdate({
      target: [customerClicks.customerId, customerClicks.clickId],
      set: { evidence: sql`excluded.evidence` },
      setWhere: sql`excluded.evidence = 'key'`,
    }),
);

export const insertLead = write<LeadRow>((db) => db.insert(leads).values(everyColumn(leads)));

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
