import { sql } from "drizzle-orm";
import { check, index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { evidences } from "#domain/evidence.ts";
import type { CustomerId, LeadId, PartnerId } from "#domain/ids.ts";
import { flag, id, instant } from "./columns.ts";
import { customers } from "./customers.ts";
import { partners } from "./partners.ts";
import { book } from "./programs.ts";

export const leads = sqliteTable(
  "leads",
  {
    id: id<LeadId>(),
    ...book(),
    operationId: text("operation_id").notNull(),
    movedOperationId: text("moved_operation_id"),
    /** Null for a lead that has no customer, such as a provisional one. */
    customerId: integer("customer_id")
      .$type<CustomerId>()
      .references(() => customers.id),
    unresolvedKey: text("unsettled_key"),
    customerKey: text("customer_key"),
    isProvisional: flag("is_provisional"),
    evidence: text("evidence", { enum: evidences }).notNull(),
    partnerId: integer("partner_id")
      .$type<PartnerId>()
      .references(() => partners.id),
    partnerCode: text("partner_code"),
    clickId: text("click_id"),
    reason: text("reason"),
    clickAgeDays: integer("click_age_days"),
    windowDays: integer("window_days"),
    /** JSON: how the lead was attributed, with the values at that time. */
    explanation: text("explanation").notNull(),
    pageUrl: text("page_url"),
    eventName: text("event_name"),
    occurredAt: instant("occurred_at").notNull(),
    createdAt: instant("created_at").notNull(),
    day: text("day").notNull(),
  },
  (t) => [
    uniqueIndex("leads_customer").on(t.customerId).where(sql`customer_id is not null`),
    uniqueIndex("leads_unsettled").on(t.programId, t.isTest, t.unresolvedKey).where(sql`unsettled_key is not null`),
    index("leads_recent").on(t.programId, t.isTest, t.occurredAt, t.partnerId),
    // Finds leads that have no customer but contain a click.
    index("leads_click").on(t.clickId).where(sql`customer_id is null and click_id is not null`),
    check("leads_settled", sql`(${t.customerId} is null) = (${t.unresolvedKey} is not null)`),
    check("leads_provisional", sql`${t.isProvisional} = 0 or (${t.customerId} is null and ${t.partnerId} is null)`),
  ],
);
