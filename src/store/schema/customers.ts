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
    /** Null if no call has reported a key, so that the customer is known only by a click. */
    customerKey: text("customer_key"),
    // The attribution. All of these columns are null for an unattributed customer.
    partnerId: integer("partner_id")
      .$type<PartnerId>()
      .references(() => partners.id),
    source: text("source", { enum: attributionSources }),
    /** For attribution by a click, that click's link. Otherwise the partner's first link. */
    linkId: integer("link_id")
      .$type<LinkId>()
      .references(() => referralLinks.id),
    /** For attribution without a click: sales from this instant on are attributed to the partner. */
    since: instant("since"),
    // From here to `boundBy`, all columns except `boundAt` are set only for attribution by a click.
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
     * When the attribution was first confirmed: by evidence that a backend sent with a program key, by an approval, or
     * immediately if an import or a member set it. Null as long as the evidence is only a browser's report or a coupon.
     */
    confirmedAt: instant("confirmed_at"),
    reason: text("reason"),
    firstSaleAt: instant("first_sale_at"),
    /** If this and `confirmedAt` are both set, the attribution is locked. */
    firstAttributedSaleAt: instant("first_attributed_sale_at"),
    oneTimeCommissionId: integer("one_time_commission_id").$type<CommissionId>(),
    /**
     * The customer's first sale in the program from which they were imported. That program paid its commission, so
     * recurring durations count from here, and the customer earns no `one_time` commission.
     */
    importedFirstSaleAt: instant("imported_first_sale_at"),
    /** The customer's subscription id, as imported. */
    importedSubscriptionId: text("imported_subscription_id"),
    emailHash: text("email_hash"),
    /** Equal for similar addresses. Null for an address stored before this column existed. */
    similarHash: text("similar_hash"),
    emailMask: text("email_mask"),
    /** The first characters of each address's digest. Set only if several addresses were reported. */
    addressMarks: text("address_marks"),
    /** True if the customer was erased. `customerKey` is then a pseudonym. */
    isErased: flag("is_erased").default(false),
    /** JSON: the evidence of signals about an erased customer, whose addresses and page URLs were deleted. */
    erasedEvidence: text("erased_evidence"),
    createdAt: instant("created_at").notNull(),
  },
  (t) => [
    uniqueIndex("customers_key").on(t.programId, t.isTest, t.customerKey).where(sql`customer_key is not null`),
    uniqueIndex("customers_imported_subscription")
      .on(t.programId, t.isTest, t.importedSubscriptionId)
      .where(sql`imported_subscription_id is not null`),
    // Finds keys that are email addresses with upper-case letters.
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
 * Customers who were reattributed while some of their sales still have the former partner. A task moves the sales in
 * order of time. The cursor (`afterOccurredAt`, `afterSaleId`) is the last sale moved.
 */
export const pendingMoves = sqliteTable("pending_moves", {
  customerId: integer("customer_id")
    .$type<CustomerId>()
    .primaryKey()
    .references(() => customers.id),
  afterOccurredAt: instant("after_occurred_at").notNull(),
  afterSaleId: integer("after_sale_id").$type<SaleId>().notNull(),
  // The state at the reattribution, so that all sales are decided by the same values.
  isPartnerActive: flag("is_partner_active"),
  isProgramActive: flag("is_program_active"),
  /** The program's newest policy version at the reattribution. */
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
    /** `moved` means that the click no longer attributes the customer. The row stays so that an erasure finds it. */
    evidence: text("evidence", { enum: shownEvidences }).notNull(),
    isAnonymous: flag("is_nameless"),
    /**
     * True if a browser's lead with this click created this customer. A click can create only one customer this way.
     * The value stays true even if later evidence changes `evidence`.
     */
    hasSettledInBrowser: flag("has_settled_in_browser"),
    /** Instant of the call that first reported the click for this customer. */
    shownAt: instant("shown_at").notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.customerId, t.clickId] }),
    // One click can be reported for very many customers, for example from a cached page. The partial indexes find the
    // few rows that attribution needs.
    index("customer_clicks_click").on(t.clickId),
    index("customer_clicks_nameless").on(t.clickId).where(sql`is_nameless = 1`),
    index("customer_clicks_browser").on(t.clickId).where(sql`has_settled_in_browser = 1`),
    // Each row is in exactly one of these two indexes. An explanation reads a page of a customer's clicks from both, in
    // order of time.
    index("customer_clicks_keyed").on(t.customerId, t.clickAt, t.clickId).where(sql`evidence = 'key'`),
    index("customer_clicks_unkeyed").on(t.customerId, t.clickAt, t.clickId).where(sql`evidence <> 'key'`),
  ],
);
