import { foreignKey, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { PartnerId, ProgramId } from "#domain/ids.ts";
import { flag } from "./columns.ts";
import { programs } from "./programs.ts";

/**
 * Daily totals for charts. Triggers update them in the transaction of each event. Partner 0 means no partner, and
 * currency '' no currency.
 */
export const dailyCounts = sqliteTable(
  "daily_counts",
  {
    programId: integer("program_id").$type<ProgramId>().notNull(),
    isTest: flag("is_test"),
    day: text("day").notNull(),
    partnerId: integer("partner_id").$type<PartnerId>().notNull(),
    currency: text("currency").notNull(),
    clicks: integer("clicks").notNull().default(0),
    uniqueClicks: integer("unique_clicks").notNull().default(0),
    uncountedClicks: integer("uncounted_clicks").notNull().default(0),
    leads: integer("leads").notNull().default(0),
    unattributedLeads: integer("unattributed_leads").notNull().default(0),
    sales: integer("sales").notNull().default(0),
    revenueCents: integer("revenue_cents").notNull().default(0),
    organicSales: integer("organic_sales").notNull().default(0),
    organicRevenueCents: integer("organic_revenue_cents").notNull().default(0),
    refunds: integer("refunds").notNull().default(0),
    refundedCents: integer("refunded_cents").notNull().default(0),
    organicRefunds: integer("organic_refunds").notNull().default(0),
    commissionCents: integer("commission_cents").notNull().default(0),
    uncountedRefunds: integer("uncounted_refunds").notNull().default(0),
    /**
     * Sales that a correction replaced, and all refunds of these sales. The other columns exclude both, and the entries of
     * these sales' commissions.
     */
    correctedSales: integer("corrected_sales").notNull().default(0),
    correctedRefunds: integer("corrected_refunds").notNull().default(0),
  },
  (t) => [
    primaryKey({ columns: [t.programId, t.isTest, t.day, t.partnerId, t.currency] }),
    foreignKey({ columns: [t.programId], foreignColumns: [programs.id] }),
  ],
);
