import { sql } from "drizzle-orm";
import { check, index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { BonusId, PartnerId } from "#domain/ids.ts";
import { tierMetrics, tierPeriods } from "#domain/tiers.ts";
import { id, instant } from "./columns.ts";
import { oneOf } from "./one-of.ts";
import { partners } from "./partners.ts";
import { programId } from "./programs.ts";

/**
 * Amounts that a member awards to partners for reaching a number or sum of sales in a period. A bonus changes at most
 * twice: a member can end it, and can then dismiss it.
 */
export const bonuses = sqliteTable(
  "bonuses",
  {
    id: id<BonusId>(),
    programId: programId(),
    metric: text("metric", { enum: tierMetrics }).notNull(),
    period: text("period", { enum: tierPeriods }).notNull(),
    threshold: integer("threshold").notNull(),
    /** The program's currency when the bonus was created, if the metric is revenue. */
    salesCurrency: text("sales_currency"),
    amountCents: integer("amount_cents").notNull(),
    currency: text("currency").notNull(),
    /** "2026-11", "2026-Q4" or "2026". */
    fromPeriod: text("from_period").notNull(),
    /** The last period. Null if the bonus hasn't been ended. */
    untilPeriod: text("until_period"),
    createdAt: instant("created_at").notNull(),
    /** From then on, the bonus isn't awarded to anyone. */
    dismissedAt: instant("dismissed_at"),
  },
  (t) => [
    index("bonuses_program").on(t.programId),
    check("bonuses_metric", oneOf(t.metric, tierMetrics)),
    check("bonuses_period", oneOf(t.period, tierPeriods)),
    check("bonuses_threshold", sql`${t.threshold} > 0`),
    check("bonuses_sales_currency", sql`(${t.metric} = 'revenue') = (${t.salesCurrency} is not null)`),
    check("bonuses_amount", sql`${t.amountCents} > 0`),
    check("bonuses_dismissed", sql`${t.dismissedAt} is null or ${t.untilPeriod} is not null`),
    check("bonuses_until", sql`${t.untilPeriod} is null or ${t.untilPeriod} >= ${t.fromPeriod}`),
  ],
);

/**
 * The partners who have reached a bonus that isn't awarded to them yet. The row's period may still be running. The
 * Ledger writes these rows soon after a partner's count has changed.
 */
export const dueBonuses = sqliteTable(
  "due_bonuses",
  {
    programId: programId(),
    /** The last month ("YYYY-MM") of the period. */
    lastMonth: text("last_month").notNull(),
    bonusId: integer("bonus_id")
      .$type<BonusId>()
      .notNull()
      .references(() => bonuses.id),
    partnerId: integer("partner_id")
      .$type<PartnerId>()
      .notNull()
      .references(() => partners.id),
  },
  (t) => [primaryKey({ columns: [t.programId, t.lastMonth, t.bonusId, t.partnerId] })],
);
