import { sql } from "drizzle-orm";
import { check, index, integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import type { PartnerId, PolicyId } from "#domain/ids.ts";
import { tierMetrics } from "#domain/tiers.ts";
import { flag, instant } from "./columns.ts";
import { oneOf } from "./one-of.ts";
import { partners } from "./partners.ts";
import { commissionPolicies } from "./policies.ts";
import { book } from "./programs.ts";

/** The books of programs that have or had a policy with tiers, or a bonus. `tier_counts` counts only the sales of these books. */
export const tierBooks = sqliteTable(
  "tier_books",
  {
    ...book(),
    /** Sales at or after this instant are counted. The background count lowers it until it equals `countFrom`. */
    countedFrom: instant("counted_from").notNull(),
    countFrom: instant("count_from").notNull(),
    /** The last partner whose counts were compared with new thresholds. Null if no comparison is running. */
    scannedTo: integer("scanned_to").$type<PartnerId>(),
    /** The first month ("YYYY-MM") whose counts are compared. */
    scanFrom: text("scan_from").notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.programId, t.isTest] }),
    index("tier_books_open").on(t.programId, t.isTest).where(sql`counted_from > count_from or scanned_to is not null`),
  ],
);

/**
 * The number and sum of a partner's sales by month, in the program's time zone. A sale counts while its commission is
 * above 0. The trigger that updates a commission's amount also updates this table. `revenue_cents` is the amounts
 * before refunds, so a partial refund doesn't change it.
 */
export const tierCounts = sqliteTable(
  "tier_counts",
  {
    ...book(),
    partnerId: integer("partner_id")
      .$type<PartnerId>()
      .notNull()
      .references(() => partners.id),
    /** "YYYY-MM". */
    month: text("month").notNull(),
    currency: text("currency").notNull(),
    sales: integer("sales").notNull(),
    revenueCents: integer("revenue_cents").notNull(),
    /** The part of `sales` and `revenue_cents` whose commissions are approved. Bonuses depend on it. */
    approvedSales: integer("approved_sales").notNull().default(0),
    approvedRevenueCents: integer("approved_revenue_cents").notNull().default(0),
    /** True if the count has changed since it was last compared with the thresholds of policies and bonuses. */
    isDue: flag("is_due").default(true),
  },
  (t) => [
    primaryKey({ columns: [t.programId, t.isTest, t.partnerId, t.month, t.currency] }),
    index("tier_counts_due").on(t.programId, t.isTest, t.partnerId, t.month).where(sql`is_due`),
  ],
);

/**
 * The steps that partners reached under a policy version in a period. Append-only. The newest row decides the partner's
 * sales. `number` is from the sequence of ledger entries, and the count covers exactly the entries with smaller
 * numbers.
 */
export const tierSteps = sqliteTable(
  "tier_steps",
  {
    ...book(),
    partnerId: integer("partner_id")
      .$type<PartnerId>()
      .notNull()
      .references(() => partners.id),
    policyId: integer("policy_id")
      .$type<PolicyId>()
      .notNull()
      .references(() => commissionPolicies.id),
    metric: text("metric", { enum: tierMetrics }).notNull(),
    /** The program's currency, if the metric is revenue. */
    currency: text("currency"),
    /** "2026-11", "2026-Q4" or "2026". */
    period: text("period").notNull(),
    /** 0 if the count fell below all thresholds. */
    threshold: integer("threshold").notNull(),
    count: integer("count").notNull(),
    number: integer("number").notNull(),
    at: instant("at").notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.programId, t.partnerId, t.number, t.policyId, t.isTest, t.period] }),
    // For the lookup of the newest step of a period.
    uniqueIndex("tier_steps_period").on(t.policyId, t.partnerId, t.isTest, t.period, t.number),
    check("tier_steps_metric", oneOf(t.metric, tierMetrics)),
    check("tier_steps_currency", sql`(${t.metric} = 'revenue') = (${t.currency} is not null)`),
    check("tier_steps_threshold", sql`${t.threshold} >= 0`),
  ],
);
