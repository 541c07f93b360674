import { sql } from "drizzle-orm";
import { check, index, integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { attributionSources } from "#domain/attribution.ts";
import { bindingEvents, evidences, shownEvidences } from "#domain/evidence.ts";
import type { CommissionId, CustomerId, LinkId, PartnerId, SaleId } from "#domain/ids.ts";
import { attributionModels, windowUntils } from "#domain/program-terms.ts";
import { flag, id, instant } from "./columns.ts";
import { sourceOf } from "./one-of.ts";
import { partners, referralLinks } from "./partners.ts";
import { book } from "./programs.ts";

export const customers = sqliteTable(
  "customers",
  {
    id: id<CustomerId>(),
    ...book(),
    /** Null: only known by a click. */
    customerKey: text("customer_key"),
    // The attribution; all null if unattributed.
    partnerId: integer("partner_id")
      .$type<PartnerId>()
      .references(() => partners.id),
    source: text("source", { enum: attributionSources }),
    /** The click's link, or otherwise the partner's first. */
    linkId: integer("link_id")
      .$type<LinkId>()
      .references(() => referralLinks.id),
    /** For every source but a click: later sales are the partner's. */
    since: instant("since"),
    // Only for a click, up to `boundBy`.
    clickId: text("click_id"),
    clickAt: instant("click_at"),
    evidence: text("evidence", { enum: evidences }),
    model: text("model", { enum: attributionModels }),
    windowDays: integer("window_days"),
    windowUntil: text("window_until", { enum: windowUntils }),
    clickAgeDays: integer("click_age_days"),
    boundAt: instant("bound_at"),
    boundBy: text("bound_by", { enum: bindingEvents }),
    /**
     * The first confirmation: by keyed evidence or an approval, or at once by an import or a member. Null: browser
     * evidence or a coupon only.
     */
    confirmedAt: instant("confirmed_at"),
    reason: text("reason"),
    firstSaleAt: instant("first_sale_at"),
    /** If set, along with `confirmedAt`, the attribution is locked. */
    firstAttributedSaleAt: instant("first_attributed_sale_at"),
    oneTimeCommissionId: integer("one_time_commission_id").$type<CommissionId>(),
    /**
     * At the former program, which has paid for it: durations count from then on, and the `one_time` place is taken.
     */
    importedFirstSaleAt: instant("imported_first_sale_at"),
    /** The customer's subscription, by the import. */
    importedSubscriptionId: text("imported_subscription_id"),
    emailHash: text("email_hash"),
    /** Equal for similar addresses. Null if the address is older than the column. */
    similarHash: text("similar_hash"),
    emailMask: text("email_mask"),
    /** Set once several addresses were reported: a few characters of each one's digest. */
    addressMarks: text("address_marks"),
    /** Its key is a pseudonym. */
    isErased: flag("is_erased").default(false),
    /** JSON: evidence of signals about an erased customer, whose address and pages were deleted. */
    erasedEvidence: text("erased_evidence"),
    createdAt: instant("created_at").notNull(),
  },
  (t) => [
    uniqueIndex("customers_key").on(t.programId, t.isTest, t.customerKey).where(sql`customer_key is not null`),
    uniqueIndex("customers_imported_subscription")
      .on(t.programId, t.isTest, t.importedSubscriptionId)
      .where(sql`imported_subscription_id is not null`),
    // Keys that are addresses, but not in normalized form.
    index("customers_email_key")
      .on(t.programId, t.isTest, t.customerKey)
      .where(sql`instr(customer_key, '@') > 1 and customer_key <> lower(customer_key)`),
    index("customers_email_hash").on(t.programId, t.isTest, t.emailHash).where(sql`email_hash is not null`),
    index("customers_similar_hash").on(t.programId, t.isTest, t.similarHash).where(sql`similar_hash is not null`),
    check("customers_attribution", sourceOf(t.partnerId, t.source)),
    check("customers_of_click", sql`(${t.source} is 'click') = (${t.clickId} is not null)`),
    check("customers_since", sql`(${t.source} is not null and ${t.source} <> 'click') = (${t.since} is not null)`),
    check("customers_reason", sql`(${t.partnerId} is null) = (${t.reason} is not null)`),
    check(
      "customers_decided",
      sql`case when ${t.partnerId} is null then 1 when ${t.source} = 'click' then ${t.clickAt} is not null and ${t.evidence} is not null and ${t.model} is not null and ${t.windowDays} is not null and ${t.windowUntil} is not null and ${t.boundAt} is not null and ${t.boundBy} is not null else ${t.linkId} is not null and ${t.boundAt} is not null and coalesce(${t.clickAt}, ${t.evidence}, ${t.model}, ${t.windowDays}, ${t.windowUntil}, ${t.clickAgeDays}, ${t.boundBy}) is null and (${t.source} = 'coupon' or ${t.confirmedAt} is not null) end`,
    ),
    check("customers_locked", sql`${t.firstAttributedSaleAt} is null or ${t.partnerId} is not null`),
  ],
);

/**
 * Customers whose sales have yet to follow them to their current partner. Sales up to the cursor have, in order of
 * time.
 */
export const pendingMoves = sqliteTable("pending_moves", {
  customerId: integer("customer_id")
    .$type<CustomerId>()
    .primaryKey()
    .references(() => customers.id),
  afterOccurredAt: instant("after_occurred_at").notNull(),
  afterSaleId: integer("after_sale_id").$type<SaleId>().notNull(),
  // As of the customer's move, so that all of the sales are decided alike.
  isPartnerActive: flag("is_partner_active"),
  isProgramActive: flag("is_program_active"),
  /** The program's newest policy at the move. */
  policyVersion: integer("policy_version").notNull(),
  createdAt: instant("created_at").notNull(),
});

export const customerClicks = sqliteTable(
  "customer_clicks",
  {
    customerId: integer("customer_id")
      .$type<CustomerId>()
      .notNull()
      .references(() => customers.id),
    clickId: text("click_id").notNull(),
    linkId: integer("link_id")
      .$type<LinkId>()
      .notNull()
      .references(() => referralLinks.id),
    clickAt: instant("click_at").notNull(),
    /** A `moved` click attributes no customer. An erasure still finds it. */
    evidence: text("evidence", { enum: shownEvidences }).notNull(),
    isAnonymous: flag("is_nameless"),
    /** A browser resolves a customer by a click once, whatever evidence comes later. */
    hasSettledInBrowser: flag("has_settled_in_browser"),
    /** Time of the call that first showed it. */
    shownAt: instant("shown_at").notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.customerId, t.clickId] }),
    // Any number of customers may report one click (a cached page). These indexes find the few that matter.
    index("customer_clicks_click").on(t.clickId),
    index("customer_clicks_nameless").on(t.clickId).where(sql`is_nameless = 1`),
    index("customer_clicks_browser").on(t.clickId).where(sql`has_settled_in_browser = 1`),
    index("customer_clicks_keyed").on(t.customerId, t.clickAt, t.clickId).where(sql`evidence = 'key'`),
  ],
);
