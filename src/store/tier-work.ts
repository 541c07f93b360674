import { sql } from "drizzle-orm";
import type { Book } from "#domain/book.ts";
import type { PartnerId, PolicyId, ProgramId } from "#domain/ids.ts";
import type { Tiers } from "#domain/tiers.ts";
import { firstMonthOf, lastMonthOf, periodOfMonth } from "./months-of-period.ts";
import { isHere } from "./program-place.ts";
import { largestInteger } from "./schema/columns.ts";
import { tierBooks, tierCounts, tierSteps } from "./schema/tiers.ts";
import { change, given, readAll, readFirst, unencoded, write } from "./statement.ts";

export type TierBookRow = typeof tierBooks.$inferSelect;
export type StepRow = typeof tierSteps.$inferSelect;

/** The programs in this database that have or had a policy with tiers, or a bonus. */
export const programsWithTiers = readAll<Record<string, never>, { readonly programId: ProgramId }>((db) =>
  db.selectDistinct({ programId: tierBooks.programId }).from(tierBooks),
);

const isOpen = sql`(counted_from > count_from or scanned_to is not null)`;
const isSkipped = sql`select value from json_each(${given("skip")})`;

/** Books whose sales aren't all counted yet, or whose counts aren't all compared with new thresholds yet. */
export const openTierBooks = readAll<{ skip: string; limit: number }, TierBookRow>((db) =>
  db
    .select()
    .from(tierBooks)
    .where(sql`${isOpen} and ${isHere(tierBooks.programId)} and ${tierBooks.programId} not in (${isSkipped})`)
    .limit(given("limit")),
);

type Span = { programId: ProgramId; isTest: boolean; from: number; before: number };

/** The instant from which the next step counts, so that it counts about `limit` sales. */
export const nextToCount = readFirst<Span & { skip: number }, { readonly from: number }>((db) =>
  db
    .select({
      from: sql<number>`coalesce((
        select s.occurred_at from sales s where s.program_id = ${given("programId")} and s.is_test = ${unencoded("isTest")}
          and s.occurred_at < ${given("before")} and s.occurred_at >= ${given("from")}
        order by s.occurred_at desc limit 1 offset ${given("skip")}), ${given("from")})`,
    })
    .from(sql`(select 1)`),
);

/** Counts the sales between these instants, and records that they are counted. */
export const countSales = (span: Span) => [addCounts(span), setCounted(span)];

const addCounts = write<Span>((db) =>
  db
    .insert(tierCounts)
    .select(
      sql`select b.program_id, b.is_test, c.partner_id, substr(s.day, 1, 7), s.currency, count(*), sum(s.amount_cents),
          count(c.payable_number), sum(iif(c.payable_number is null, 0, s.amount_cents)),
          substr(s.day, 1, 7) >= b.scan_from
        from tier_books b
          cross join sales s on s.program_id = b.program_id and s.is_test = b.is_test
            and s.occurred_at >= ${given("from")} and s.occurred_at < b.counted_from
          cross join commissions c on c.sale_id = s.id
        where b.program_id = ${given("programId")} and b.is_test = ${unencoded("isTest")}
          and b.counted_from = ${given("before")} and c.amount_cents > 0
        group by c.partner_id, substr(s.day, 1, 7), s.currency`,
    )
    .onConflictDoUpdate({
      target: [tierCounts.programId, tierCounts.isTest, tierCounts.partnerId, tierCounts.month, tierCounts.currency],
      set: {
        sales: sql`${tierCounts.sales} + excluded.sales`,
        revenueCents: sql`${tierCounts.revenueCents} + excluded.revenue_cents`,
        approvedSales: sql`${tierCounts.approvedSales} + excluded.approved_sales`,
        approvedRevenueCents: sql`${tierCounts.approvedRevenueCents} + excluded.approved_revenue_cents`,
        isDue: sql`max(${tierCounts.isDue}, excluded.is_due)`,
      },
    }),
);

const ofBook = sql`program_id = ${given("programId")} and is_test = ${unencoded("isTest")}`;

const setCounted = write<Span>((db) =>
  db
    .update(tierBooks)
    .set({ countedFrom: sql`${given("from")}` })
    .where(sql`${ofBook} and counted_from = ${given("before")}`),
);

type Scan = { programId: ProgramId; isTest: boolean; after: number };

/** The highest partner id in the next part of the scan. Null if there are no counts after the partner `after`. */
export const nextToScan = readFirst<Scan & { limit: number }, { readonly last: PartnerId | null }>((db) =>
  db
    .select({
      last: sql<PartnerId | null>`(select max(p.partner_id) from (
        select c.partner_id from tier_counts c where c.program_id = ${given("programId")}
          and c.is_test = ${unencoded("isTest")} and c.partner_id > ${given("after")}
        group by c.partner_id order by c.partner_id limit ${given("limit")}) p)`,
    })
    .from(sql`(select 1)`),
);

/** Marks the counts of the next partners as due. `last` is null if the scan has reached its end. */
export const scanPartners = (scan: Scan & { last: PartnerId | null }) =>
  scan.last === null ? [setScanned(scan)] : [markDue({ ...scan, last: scan.last }), setScanned(scan)];

const markDue = write<Scan & { last: PartnerId }>((db) =>
  db
    .update(tierCounts)
    .set({ isDue: true })
    .where(
      sql`${ofBook} and partner_id > ${given("after")} and partner_id <= ${given("last")} and month >= (
        select b.scan_from from tier_books b where b.program_id = tier_counts.program_id and b.is_test = tier_counts.is_test)`,
    ),
);

const setScanned = write<Scan & { last: PartnerId | null }>((db) =>
  db
    .update(tierBooks)
    .set({ scannedTo: sql`${unencoded("last")}` })
    .where(sql`${ofBook} and scanned_to = ${given("after")}`),
);

const ofTiers = [sql`v.tiers ->> 'period'`, sql`due.month`] as const;
const firstMonth = firstMonthOf(...ofTiers);
const lastMonth = lastMonthOf(...ofTiers);

/** A limit on versions with tiers in one period. Programs rarely have more. */
const maxVersions = 20;

/**
 * The newest versions with tiers that may decide sales of the partner's month. These are the versions of the program,
 * the partner and the partner's groups that were in force in the month's period. The first version of each owner is
 * included too, because it also decides older sales. The period is extended by a day on both sides because of time
 * zones.
 */
const versionsOfMonth = sql`
  select v.id from commission_policies v
  where v.program_id = due.program_id and v.tiers is not null
    and (v.partner_id is null or v.partner_id = due.partner_id)
    and (v.group_id is null or exists (select 1 from group_memberships m
      where m.program_id = due.program_id and m.partner_id = due.partner_id and m.group_id = v.group_id))
    and not exists (select 1 from commission_policies n
      where n.program_id = v.program_id and n.partner_id is v.partner_id and n.group_id is v.group_id
        and (n.effective_from, n.version) > (v.effective_from, v.version)
        and n.effective_from < (unixepoch(${firstMonth} || '-01') - 86400) * 1000)
    and (v.effective_from < (unixepoch(${lastMonth} || '-01', '+1 month') + 86400) * 1000
      or not exists (select 1 from commission_policies n
        where n.program_id = v.program_id and n.partner_id is v.partner_id and n.group_id is v.group_id
          and (n.effective_from, n.version) < (v.effective_from, v.version)))
  order by v.version desc limit ${sql.raw(String(maxVersions))}`;

/** A partner's count of a month in one currency, which must be compared with thresholds. */
export interface DueCount extends Book {
  readonly partnerId: PartnerId;
  readonly month: string;
  readonly currency: string;
  readonly sales: number;
  readonly revenueCents: string;
}

/** `skip` is a JSON array of program ids. */
export const dueCounts = readAll<{ skip: string; limit: number }, DueCount>((db) =>
  db
    .select({
      programId: tierCounts.programId,
      isTest: tierCounts.isTest,
      partnerId: tierCounts.partnerId,
      month: tierCounts.month,
      currency: tierCounts.currency,
      sales: tierCounts.sales,
      revenueCents: sql<string>`cast(${tierCounts.revenueCents} as text)`,
    })
    .from(tierCounts)
    .innerJoin(
      tierBooks,
      sql`${tierBooks.programId} = ${tierCounts.programId} and ${tierBooks.isTest} = ${tierCounts.isTest}
        and counted_from <= count_from`,
    )
    .where(
      sql`${tierCounts.isDue} and ${isHere(tierCounts.programId)} and ${tierCounts.programId} not in (${isSkipped})`,
    )
    .limit(given("limit")),
);

/** A policy version with tiers that may decide sales of a month, with the newest step of the month's period. */
export interface VersionOfMonth extends Book {
  readonly partnerId: PartnerId;
  readonly month: string;
  readonly policyId: PolicyId;
  readonly tiers: Tiers;
  /** The program's currency. */
  readonly currency: string;
  /** The threshold of the newest step of the period. 0 if the period has no step. */
  readonly threshold: number;
  readonly sales: number;
  readonly revenueCents: number;
}

const sumOf = (column: string, condition = sql``) =>
  sql<number>`coalesce((select min(${largestInteger}, sum(c.${sql.raw(column)})) from tier_counts c
    where c.program_id = due.program_id and c.is_test = due.is_test and c.partner_id = due.partner_id
      and c.month between ${firstMonth} and ${lastMonth} ${condition}), 0)`;

/** `months` is a JSON array of `[programId, isTest, partnerId, month]`. */
export const versionsOfMonths = readAll<{ months: string }, VersionOfMonth>((db) =>
  db
    .select({
      programId: sql<ProgramId>`due.program_id`,
      isTest: sql<boolean>`due.is_test`.mapWith(Boolean),
      partnerId: sql<PartnerId>`due.partner_id`,
      month: sql<string>`due.month`,
      policyId: sql<PolicyId>`v.id`,
      tiers: sql<Tiers>`v.tiers`.mapWith((json: string) => JSON.parse(json) as Tiers),
      currency: sql<string>`p.currency`,
      threshold: sql<number>`coalesce((
        select s.threshold from tier_steps s
        where s.policy_id = v.id and s.partner_id = due.partner_id and s.is_test = due.is_test
          and s.period = ${periodOfMonth(...ofTiers)}
        order by s.number desc limit 1), 0)`,
      sales: sumOf("sales"),
      revenueCents: sumOf("revenue_cents", sql`and c.currency = p.currency`),
    })
    .from(
      sql`(
        select value ->> 0 as program_id, value ->> 1 as is_test, value ->> 2 as partner_id, value ->> 3 as month
        from json_each(${given("months")})) due
      cross join programs p on p.id = due.program_id
      cross join commission_policies v on v.id in (${versionsOfMonth})`,
    ),
);

export const setCompared = change<keyof DueCount>(
  ["programId", "isTest", "partnerId", "month", "currency", "sales", "revenueCents"],
  (db, wanted, value) =>
    db
      .update(tierCounts)
      .set({ isDue: sql`0` })
      .from(wanted)
      .where(
        sql`${tierCounts.programId} = ${value.programId} and ${tierCounts.isTest} = ${value.isTest}
          and ${tierCounts.partnerId} = ${value.partnerId} and ${tierCounts.month} = ${value.month}
          and ${tierCounts.currency} = ${value.currency} and ${tierCounts.sales} = ${value.sales}
          and ${tierCounts.revenueCents} = cast(${value.revenueCents} as integer)`,
      ),
);

const stepNames = [
  "programId",
  "isTest",
  "partnerId",
  "policyId",
  "metric",
  "currency",
  "period",
  "threshold",
  "count",
  "number",
  "at",
] as const satisfies readonly (keyof StepRow)[];

/**
 * Writes a step only if the count is unchanged since it was compared. The step then counts exactly the ledger entries
 * with smaller numbers. `first` and `last` are the period's first and last months.
 */
export const insertStep = change<keyof StepRow | "first" | "last">(
  [...stepNames, "first", "last"],
  (db, wanted, value) =>
    db.insert(tierSteps).select(
      sql`select ${sql.join(
        stepNames.map((name) => value[name]),
        sql`, `,
      )} from ${wanted}
        where ${value.count} = coalesce((
          select min(${largestInteger}, sum(iif(${value.metric} = 'sales', c.sales, iif(c.currency = ${value.currency}, c.revenue_cents, 0))))
          from tier_counts c where c.program_id = ${value.programId} and c.is_test = ${value.isTest}
            and c.partner_id = ${value.partnerId} and c.month between ${value.first} and ${value.last}), 0)
          and ${value.threshold} <> coalesce((
            select s.threshold from tier_steps s
            where s.policy_id = ${value.policyId} and s.partner_id = ${value.partnerId} and s.is_test = ${value.isTest}
              and s.period = ${value.period} order by s.number desc limit 1), 0)`,
    ),
);
