import { sql } from "drizzle-orm";
import { type AnySQLiteColumn, check, index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import type { CustomerId, PartnerId, SaleId } from "#domain/ids.ts";
import { saleTypes, subscriptionIntervals } from "#domain/sale-type.ts";
import { flag, id, instant } from "./columns.ts";
import { customers } from "./customers.ts";
import { partners } from "./partners.ts";
import { book } from "./programs.ts";

export const sales = sqliteTable(
  "sales",
  {
    id: id<SaleId>(),
    ...book(),
    transactionId: text("transaction_id").notNull(),
    operationId: text("operation_id").notNull(),
    customerId: integer("customer_id")
      .$type<CustomerId>()
      .references(() => customers.id),
    amountCents: integer("amount_cents").notNull(),
    currency: text("currency").notNull(),
    // The values as sent, for comparison with a repeated call.
    sentCustomerKey: text("sent_customer_key"),
    sentClickId: text("sent_click_id"),
    /** True if the call's customer_key isn't the key of the customer to whom the subscription belongs. */
    isOtherKey: flag("is_other_key").default(false),
    saleType: text("sale_type", { enum: saleTypes }).notNull(),
    isRecurring: flag("is_recurring"),
    subscriptionId: text("subscription_id"),
    subscriptionInterval: text("subscription_interval", { enum: subscriptionIntervals }),
    productId: text("product_id"),
    eventName: text("event_name"),
    lineItems: text("line_items"),
    /** JSON, with ids and quantities filled in. Null if the call had no items. */
    items: text("items"),
    /** JSON: the coupons sent, with the decision about each at the time of the sale. Null if none were sent. */
    coupons: text("coupons"),
    partnerId: integer("partner_id")
      .$type<PartnerId>()
      .references(() => partners.id),
    partnerCode: text("partner_code"),
    reason: text("reason"),
    clickAgeDays: integer("click_age_days"),
    windowDays: integer("window_days"),
    refundedCents: integer("refunded_cents").notNull(),
    occurredAt: instant("occurred_at").notNull(),
    createdAt: instant("created_at").notNull(),
    day: text("day").notNull(),
    /** For a correction: the sale as first reported, and the correction's number. */
    correctedSaleId: integer("corrected_sale_id")
      .$type<SaleId>()
      .references((): AnySQLiteColumn => sales.id),
    correction: integer("correction"),
    /**
     * True if the customer's data was deleted from this sale. The deleted values aren't compared with repeated calls.
     */
    isErased: flag("is_erased").default(false),
  },
  (t) => [
    uniqueIndex("sales_transaction").on(t.programId, t.isTest, t.transactionId),
    index("sales_customer").on(t.customerId, t.occurredAt),
    index("sales_subscription")
      .on(t.programId, t.isTest, t.subscriptionId, t.occurredAt)
      .where(sql`subscription_id is not null`),
    index("sales_other_key_customer").on(t.customerId).where(sql`is_other_key = 1`),
    index("sales_other_key").on(t.programId, t.isTest, t.sentCustomerKey).where(sql`is_other_key = 1`),
    uniqueIndex("sales_correction").on(t.correctedSaleId, t.correction).where(sql`corrected_sale_id is not null`),
    index("sales_recent").on(t.programId, t.isTest, t.occurredAt, t.partnerId),
    check("sales_amount", sql`${t.amountCents} between 1 and 100000000000`),
    check("sales_refunded", sql`${t.refundedCents} between 0 and ${t.amountCents}`),
    check(
      "sales_corrected",
      sql`(${t.correctedSaleId} is null) = (${t.correction} is null) and coalesce(${t.correction}, 1) >= 1`,
    ),
    check("sales_attributed", sql`(${t.partnerId} is null) = (${t.reason} is not null)`),
  ],
);
