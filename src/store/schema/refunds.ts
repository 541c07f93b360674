import { sql } from "drizzle-orm";
import { check, index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { refundRequests, refundStatuses } from "../../domain/refund-status.ts";
import { id, instant } from "./columns.ts";
import { oneOf } from "./one-of.ts";
import { partners } from "./partners.ts";
import { book } from "./programs.ts";
import { sales } from "./sales.ts";

/**
 * Accepted refund calls: those of one `refundId` are one refund. What was told stays as it was; `countedCents` is the
 * call's part of what is refunded of the sale now, so a canceled refund comes to 0.
 */
export const refunds = sqliteTable(
  "refunds",
  {
    id: id(),
    ...book(),
    saleId: integer("sale_id")
      .notNull()
      .references(() => sales.id),
    operationId: text("operation_id").notNull(),
    refundId: text("refund_id"),
    asked: text("asked", { enum: refundRequests }).notNull(),
    /** As told; null where the call tells no figure, or was taken by the release before (then what was refunded). */
    toldCents: integer("told_cents"),
    /** Set: `toldCents` is in the unit of the charge. */
    chargeTotalCents: integer("charge_total_cents"),
    /** `occurred_at` as sent, if it was. */
    toldAt: instant("told_at"),
    // As the call was answered.
    refundedCents: integer("refunded_cents").notNull(),
    refundedTotalCents: integer("refunded_total_cents").notNull(),
    commissionReversedCents: integer("commission_reversed_cents").notNull(),
    commissionAmountCents: integer("commission_amount_cents").notNull(),
    status: text("status", { enum: refundStatuses }).notNull(),
    /** Why it was skipped, or restored nothing. */
    outcomeReason: text("outcome_reason"),
    /** The caller's. */
    reason: text("reason"),
    /** Null, of the release before: what was refunded. */
    countedCents: integer("counted_cents"),
    currency: text("currency").notNull(),
    partnerId: integer("partner_id").references(() => partners.id),
    occurredAt: instant("occurred_at").notNull(),
    createdAt: instant("created_at").notNull(),
    day: text("day").notNull(),
  },
  (t) => [
    index("refunds_sale").on(t.saleId),
    index("refunds_recent").on(t.programId, t.isTest, t.occurredAt, t.partnerId),
    check(
      "refunds_asked",
      sql`case when ${t.asked} in ('cancel', 'cancel_total') then ${t.refundId} is not null else ${t.asked} in ('rest', 'amount', 'total') end`,
    ),
    check(
      "refunds_told",
      sql`${t.toldCents} is null or (${t.toldCents} >= 0 and ${t.asked} not in ('rest', 'cancel'))`,
    ),
    check("refunds_total", sql`${t.refundedTotalCents} >= 0`),
    check("refunds_counted", sql`${t.countedCents} >= 0`),
    check("refunds_status", oneOf(t.status, refundStatuses)),
  ],
);
