import { sql } from "drizzle-orm";
import { check, index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { PartnerId, RefundId, SaleId } from "#domain/ids.ts";
import { refundRequests, refundStatuses } from "#domain/refund-status.ts";
import { id, instant } from "./columns.ts";
import { oneOf } from "./one-of.ts";
import { partners } from "./partners.ts";
import { book } from "./programs.ts";
import { sales } from "./sales.ts";

/**
 * Accepted refund calls. All calls with the same `refundId` are versions of one refund. `countedCents` is the part of
 * the current refund that this call contributes, so it is 0 after the refund is canceled. If the sale moves to another
 * partner, `partnerId` changes too. If the sale had earned nothing before the move, the status and the commission's
 * amounts change as well.
 */
export const refunds = sqliteTable(
  "refunds",
  {
    id: id<RefundId>(),
    ...book(),
    saleId: integer("sale_id")
      .$type<SaleId>()
      .notNull()
      .references(() => sales.id),
    operationId: text("operation_id").notNull(),
    refundId: text("refund_id"),
    asked: text("asked", { enum: refundRequests }).notNull(),
    /** The amount in the call. Null if the call had none. */
    toldCents: integer("told_cents"),
    /**
     * Set if `toldCents` is in the currency of the charge. It is the charge's total, from which the refunded share is
     * computed.
     */
    chargeTotalCents: integer("charge_total_cents"),
    toldAt: instant("told_at"),
    // These four amounts are what the call's reply contained, unless the sale has moved to another partner since.
    refundedCents: integer("refunded_cents").notNull(),
    refundedTotalCents: integer("refunded_total_cents").notNull(),
    commissionReversedCents: integer("commission_reversed_cents").notNull(),
    commissionAmountCents: integer("commission_amount_cents").notNull(),
    status: text("status", { enum: refundStatuses }).notNull(),
    outcomeReason: text("outcome_reason"),
    reason: text("reason"),
    countedCents: integer("counted_cents").notNull(),
    currency: text("currency").notNull(),
    partnerId: integer("partner_id")
      .$type<PartnerId>()
      .references(() => partners.id),
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
