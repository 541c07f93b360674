import { sql } from "drizzle-orm";
import { check, index, integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { bindingEvents, evidences } from "../../domain/evidence.ts";
import { attributionModels, windowUntils } from "../../domain/program-terms.ts";
import { flag, id, instant } from "./columns.ts";
import { partners, referralLinks } from "./partners.ts";
import { book } from "./programs.ts";

export const customers = sqliteTable(
  "customers",
  {
    id: id(),
    ...book(),
    /** Null: known by a click only. */
    customerKey: text("customer_key"),
    // The attribution in force; all null where there is none.
    partnerId: integer("partner_id").references(() => partners.id),
    linkId: integer("link_id").references(() => referralLinks.id),
    clickId: text("click_id"),
    clickAt: instant("click_at"),
    evidence: text("evidence", { enum: evidences }),
    model: text("model", { enum: attributionModels }),
    /** Days; of the attribution, or of the window that had passed. */
    windowDays: integer("window_days"),
    windowUntil: text("window_until", { enum: windowUntils }),
    clickAgeDays: integer("click_age_days"),
    /** The instant of the lead or sale that bound the customer to the click. */
    boundAt: instant("bound_at"),
    boundBy: text("bound_by", { enum: bindingEvents }),
    /** Since when keyed evidence, or a person's approval, backs the attribution; null: a browser alone. */
    confirmedAt: instant("confirmed_at"),
    /** Why there is none. */
    reason: text("reason"),
    firstSaleAt: instant("first_sale_at"),
    /** Set, with `confirmedAt`: the attribution is locked. */
    firstAttributedSaleAt: instant("first_attributed_sale_at"),
    /** The commission that a `one_time` policy counts as the customer's one. */
    oneTimeCommissionId: integer("one_time_commission_id"),
    emailHash: text("email_hash"),
    emailMask: text("email_mask"),
    createdAt: instant("created_at").notNull(),
  },
  (t) => [
    uniqueIndex("customers_key").on(t.programId, t.isTest, t.customerKey).where(sql`customer_key is not null`),
    check("customers_attribution", sql`(${t.partnerId} is null) = (${t.clickId} is null)`),
    check("customers_reason", sql`(${t.partnerId} is null) = (${t.reason} is not null)`),
    check("customers_bound", sql`(${t.boundAt} is null) = (${t.boundBy} is null)`),
    check("customers_locked", sql`${t.firstAttributedSaleAt} is null or ${t.partnerId} is not null`),
  ],
);

/**
 * Customers whose sales have yet to follow them to the partner they are attributed to now, in order of time; those up to
 * the cursor have.
 */
export const pendingMoves = sqliteTable("pending_moves", {
  customerId: integer("customer_id")
    .primaryKey()
    .references(() => customers.id),
  afterOccurredAt: instant("after_occurred_at").notNull(),
  afterSaleId: integer("after_sale_id").notNull(),
  // As they were when the customer moved: whatever is paused or set meanwhile, all of the sales are decided alike.
  isPartnerActive: flag("is_partner_active"),
  isProgramActive: flag("is_program_active"),
  /** The newest of the program's policies then; null where an earlier release has moved the customer. */
  policyVersion: integer("policy_version"),
  createdAt: instant("created_at").notNull(),
});

/** The clicks that a customer showed, with the evidence they came by. */
export const customerClicks = sqliteTable(
  "customer_clicks",
  {
    customerId: integer("customer_id")
      .notNull()
      .references(() => customers.id),
    clickId: text("click_id").notNull(),
    linkId: integer("link_id")
      .notNull()
      .references(() => referralLinks.id),
    clickAt: instant("click_at").notNull(),
    evidence: text("evidence", { enum: evidences }).notNull(),
    isAnonymous: flag("is_nameless"),
    /** Whether a browser settled the customer by it, whatever evidence came later: it does so once. */
    hasSettledInBrowser: flag("has_settled_in_browser"),
  },
  (t) => [
    primaryKey({ columns: [t.customerId, t.clickId] }),
    // One click may be shown by any number of customers (a cached page); these find the few that matter among them.
    index("customer_clicks_click").on(t.clickId),
    index("customer_clicks_nameless").on(t.clickId).where(sql`is_nameless = 1`),
    index("customer_clicks_browser").on(t.clickId).where(sql`has_settled_in_browser = 1`),
    // The newest and the oldest that decide, of however many.
    index("customer_clicks_keyed").on(t.customerId, t.clickAt, t.clickId).where(sql`evidence = 'key'`),
  ],
);
