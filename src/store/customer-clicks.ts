import { and, eq, getTableColumns, inArray, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { clockToleranceMs, dayMs } from "#domain/calendar.ts";
import { byKeyOrClicks, customerIdsByKeyOrClicks, firstOfOthers } from "./customers.ts";
import { isReplaced } from "./sales.ts";
import { clicks } from "./schema/clicks.ts";
import { customerClicks, customers } from "./schema/customers.ts";
import { programs } from "./schema/programs.ts";
import { sales } from "./schema/sales.ts";
import { type Compiler, everyColumn, insert, lookUp, lookUpFirst, update } from "./statement.ts";

export type CustomerClickRow = typeof customerClicks.$inferSelect;

export interface DecidingClick extends CustomerClickRow {
  readonly referrerUrl: string | null;
}

const byCall = [...byKeyOrClicks, "occurredAt", "isSale"] as const;
type ByInstant = Readonly<Record<"clickIds" | "occurredAt" | "isSale", SQL>>;

const keyedClickAt = (instant: SQL): SQL => sql`(
  select min(k.click_id) from ${customerClicks} k
  where k.customer_id = ${customers.id} and k.evidence = 'key' and k.click_at = ${instant}
)`;

const instantOf = (which: "min" | "max", range: SQL): SQL => sql`(
  select ${sql.raw(which)}(k.click_at) from ${customerClicks} k
  where k.customer_id = ${customers.id} and k.evidence = 'key' and k.click_at ${range}
)`;

// Three clicks can decide an attribution: the newest before the instant, the newest before the first sale, and the
// oldest within the attribution window.
function deciding(at: SQL, firstSaleAt: SQL): SQL {
  const tolerance = sql.raw(String(clockToleranceMs));
  const before = sql`min(${at}, coalesce(${firstSaleAt}, ${at}))`;
  const window = sql`(select p.attribution_window_days * ${sql.raw(String(dayMs))} from ${programs} p where p.id = ${customers.programId})`;
  const newest = (instant: SQL) => keyedClickAt(instantOf("max", sql`<= ${instant} + ${tolerance}`));
  const oldest = keyedClickAt(instantOf("min", sql`between ${before} - ${window} and ${before} + ${tolerance}`));
  return sql`select ${newest(at)} union all select ${newest(before)} union all select ${oldest}`;
}

/**
 * Reads the clicks in the call, and the customers' clicks that can decide an attribution at `occurredAt` (ms) or at the
 * lead that created the customer. The number of rows is limited, however many clicks a customer has.
 */
export const decidingClicks = lookUp<(typeof byCall)[number], DecidingClick>(byCall, (db, wanted, key) =>
  decidingOf(db, wanted, key, { ofCustomers: inArray(customers.id, customerIdsByKeyOrClicks(key)) }),
);

const ofOne = ["customerId", "clickIds", "occurredAt", "isSale"] as const;

/** The same as `decidingClicks`, for one customer given by id. */
export const decidingClicksOf = lookUp<(typeof ofOne)[number], DecidingClick>(ofOne, (db, wanted, key) =>
  decidingOf(db, wanted, key, { ofCustomers: eq(customers.id, key.customerId) }),
);

const withoutSale = [...ofOne, "saleId"] as const;

/** The same as `decidingClicks`, but as if the customer didn't have this sale. */
export const decidingClicksWithout = lookUp<(typeof withoutSale)[number], DecidingClick>(
  withoutSale,
  (db, wanted, key) => {
    const first = firstOfOthers(key.saleId, customers.firstSaleAt);
    return decidingOf(db, wanted, key, { ofCustomers: eq(customers.id, key.customerId), first });
  },
);

const decidingOf = (
  db: Compiler,
  wanted: SQL,
  key: ByInstant,
  { ofCustomers, first = customers.firstSaleAt }: { readonly ofCustomers: SQL; readonly first?: SQLWrapper },
) =>
  db
    .select({
      ...getTableColumns(customerClicks),
      referrerUrl: sql<string | null>`(
        select k.referrer_url from ${clicks} k where k.click_id = ${customerClicks.clickId})`,
    })
    .from(wanted)
    .crossJoin(customers)
    .crossJoin(customerClicks)
    .where(
      and(
        ofCustomers,
        eq(customerClicks.customerId, customers.id),
        sql`${customerClicks.clickId} in (${ownAndDeciding(key, first)})`,
      ),
    );

function ownAndDeciding({ clickIds, occurredAt, isSale }: ByInstant, first: SQLWrapper): SQL {
  const firstSaleAt = sql`iif(${isSale}, min(coalesce(${first}, ${occurredAt}), ${occurredAt}), ${first})`;
  return sql`select value from json_each(${clickIds})
    union all ${deciding(occurredAt, firstSaleAt)}
    union all ${deciding(sql`${customers.createdAt}`, firstSaleAt)}`;
}

/**
 * If the click is already stored for the customer, its evidence changes only if the new evidence is `key`. If the
 * stored evidence was `moved`, `shownAt` changes too.
 */
export const saveCustomerClick = insert<CustomerClickRow>((db) =>
  db
    .insert(customerClicks)
    .values(everyColumn(customerClicks))
    .onConflictDoUpdate({
      target: [customerClicks.customerId, customerClicks.clickId],
      set: {
        evidence: sql`excluded.evidence`,
        shownAt: sql`iif(${customerClicks.evidence} = 'moved', excluded.shown_at, ${customerClicks.shownAt})`,
      },
      setWhere: sql`excluded.evidence = 'key'`,
    }),
);

/**
 * If a customer has this many other sales or more, they aren't all searched: `isOnlyHere` (see below) is false, and the
 * customer keeps the click.
 */
const mostToSearch = 50;

/** The click sent with a sale. `isOnlyHere`: no other call is known to have reported the click for the customer. */
export const clickOfSale = lookUpFirst(["saleId"], (db, wanted, key) =>
  db
    .select({
      clickId: customerClicks.clickId,
      hasSettledInBrowser: customerClicks.hasSettledInBrowser,
      isOnlyHere: sql<boolean>`${customerClicks.shownAt} >= (
        select min(f.created_at) from ${sales} f where f.id in (${sales.id}, ${sales.correctedSaleId})) and (
        select count(*) < ${sql.raw(String(mostToSearch))} and not coalesce(max(other.sent_click_id is ${customerClicks.clickId}), 0)
        from (
          select s.sent_click_id from ${sales} s
          where s.customer_id = ${sales.customerId} and s.id <> ${sales.id} and not ${isReplaced}
          order by s.occurred_at limit ${sql.raw(String(mostToSearch))}) other)`.mapWith(Boolean),
    })
    .from(wanted)
    .crossJoin(sales)
    .innerJoin(
      customerClicks,
      and(eq(customerClicks.customerId, sales.customerId), eq(customerClicks.clickId, sales.sentClickId)),
    )
    .where(eq(sales.id, key.saleId)),
);
export type ClickOfSale = NonNullable<ReturnType<ReturnType<typeof clickOfSale>["decode"]>>;

export const setClickEvidence = update(customerClicks, ["customerId", "clickId"], ["evidence"]);

export const setClicksAnonymous = update(customerClicks, ["customerId"], ["isAnonymous"]);
