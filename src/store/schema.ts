import { type SQLWrapper, sql } from "drizzle-orm";
import { check, foreignKey, index, integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { approvers, commissionStatuses, entryKinds } from "../domain/commission-status.ts";
import { bindingEvents, evidences } from "../domain/evidence.ts";
import { policyScopes, policyTypes } from "../domain/policy-terms.ts";
import { activeStatuses } from "../domain/program-status.ts";
import { attributionModels, leadAuths, payoutModes, windowUntils } from "../domain/program-terms.ts";
import { refundRequests, refundStatuses } from "../domain/refund-status.ts";
import { memberStatuses, roles } from "../domain/role.ts";
import { saleTypes, subscriptionIntervals } from "../domain/sale-type.ts";
import { chainVerdicts } from "../domain/verification.ts";

// Instants are integer milliseconds, amounts integers in the currency's smallest unit, days "YYYY-MM-DD" in the
// program's time zone. Tables are STRICT; triggers (append-only entries, daily counts, the fence) stand in migrations/.

const id = () => integer("id").primaryKey();
/** For a check: the column holds one of the values. */
const oneOf = (column: SQLWrapper, values: readonly string[]) =>
  sql`${column} in (${sql.raw(values.map((value) => `'${value}'`).join(", "))})`;
const flag = (name: string) => integer(name, { mode: "boolean" }).notNull();
const instant = (name: string) => integer(name);
const programId = () =>
  integer("program_id")
    .notNull()
    .references(() => programs.id);
const book = () => ({ programId: programId(), isTest: flag("is_test") });

/** Who may write the ledger: the newest epoch, in the order of `seq`. See ledger/fenced-writer.ts. */
export const ledgerWriters = sqliteTable("ledger_writers", {
  name: text("name").primaryKey(),
  epoch: integer("epoch").notNull(),
  seq: integer("seq").notNull(),
  /** Ids up to it may have been given out, also where no row has them. */
  idFloor: integer("id_floor").notNull().default(0),
});

export const workspaces = sqliteTable("workspaces", {
  id: text("id").primaryKey(),
  name: text("name").notNull(),
  createdAt: instant("created_at").notNull(),
});

export const memberships = sqliteTable(
  "memberships",
  {
    id: text("id").primaryKey(),
    workspaceId: text("workspace_id")
      .notNull()
      .references(() => workspaces.id),
    userId: text("user_id").notNull(),
    role: text("role", { enum: roles }).notNull(),
    status: text("status", { enum: memberStatuses }).notNull(),
    createdAt: instant("created_at").notNull(),
  },
  (t) => [
    uniqueIndex("memberships_place").on(t.workspaceId, t.userId),
    check("memberships_role", oneOf(t.role, roles.toReversed())),
    check("memberships_status", oneOf(t.status, memberStatuses)),
  ],
);

/** Links that make whoever follows one a member, once. Only a digest of the token is kept. */
export const invitations = sqliteTable(
  "invitations",
  {
    id: text("id").primaryKey(),
    workspaceId: text("workspace_id")
      .notNull()
      .references(() => workspaces.id),
    tokenHash: text("token_hash").notNull(),
    /** Null: made by a release that did not keep it. */
    email: text("email"),
    role: text("role", { enum: roles }).notNull(),
    invitedBy: text("invited_by")
      .notNull()
      .references(() => users.id),
    expiresAt: instant("expires_at").notNull(),
    acceptedAt: instant("accepted_at"),
    revokedAt: instant("revoked_at"),
    createdAt: instant("created_at").notNull(),
  },
  (t) => [
    uniqueIndex("invitations_token").on(t.tokenHash),
    index("invitations_workspace").on(t.workspaceId),
    check("invitations_role", oneOf(t.role, roles.toReversed())),
  ],
);

export const programs = sqliteTable(
  "programs",
  {
    id: id(),
    workspaceId: text("workspace_id")
      .notNull()
      .references(() => workspaces.id),
    name: text("name").notNull(),
    websiteUrl: text("website_url"),
    currency: text("currency").notNull(),
    timezone: text("timezone").notNull(),
    leadAuth: text("lead_auth", { enum: leadAuths }).notNull(),
    attributionModel: text("attribution_model", { enum: attributionModels }).notNull(),
    attributionWindowDays: integer("attribution_window_days").notNull(),
    /** What the window asks of a customer whom a lead has bound: nothing further, or that the first sale lies in it too. */
    windowUntil: text("window_until", { enum: windowUntils }).notNull().default("lead"),
    /** Null: the attribution window. */
    cookieWindowDays: integer("cookie_window_days"),
    payoutMode: text("payout_mode", { enum: payoutModes }),
    status: text("status", { enum: activeStatuses }).notNull(),
    /** Archived since; `status` is what it goes back to. Null: not archived. */
    archivedAt: instant("archived_at"),
    createdAt: instant("created_at").notNull(),
  },
  (t) => [
    check("programs_currency", sql`length(${t.currency}) = 3`),
    check("programs_lead_auth", oneOf(t.leadAuth, leadAuths)),
    check("programs_attribution_model", oneOf(t.attributionModel, attributionModels)),
    check("programs_attribution_window", sql`${t.attributionWindowDays} between 1 and 365`),
    check("programs_window_until", oneOf(t.windowUntil, windowUntils)),
    check("programs_cookie_window", sql`${t.cookieWindowDays} between 1 and 365`),
    check("programs_status", oneOf(t.status, activeStatuses)),
  ],
);

/** Retired keys stay for ever: a key that was once good is told apart from one that never was. */
export const programKeys = sqliteTable(
  "program_keys",
  {
    id: id(),
    programId: programId(),
    hash: text("hash").notNull(),
    lastFour: text("last_four").notNull(),
    createdAt: instant("created_at").notNull(),
    retiresAt: instant("retires_at"),
    /** The start of an hour. */
    lastUsedAt: instant("last_used_at"),
  },
  (t) => [uniqueIndex("program_keys_hash").on(t.hash), index("program_keys_program").on(t.programId)],
);

export const partners = sqliteTable(
  "partners",
  {
    id: id(),
    programId: programId(),
    name: text("name").notNull(),
    email: text("email"),
    status: text("status", { enum: activeStatuses }).notNull(),
    /** Made for verification: never listed, never counted. */
    isSynthetic: flag("is_synthetic").default(false),
    createdAt: instant("created_at").notNull(),
  },
  (t) => [index("partners_program").on(t.programId), check("partners_status", oneOf(t.status, activeStatuses))],
);

export const referralLinks = sqliteTable(
  "referral_links",
  {
    id: id(),
    programId: programId(),
    partnerId: integer("partner_id")
      .notNull()
      .references(() => partners.id),
    /** As its owner spells it. */
    code: text("code").notNull(),
    /** In lower case: what is looked up. */
    codeKey: text("code_key").notNull(),
    destinationUrl: text("destination_url"),
    status: text("status", { enum: activeStatuses }).notNull(),
    createdAt: instant("created_at").notNull(),
  },
  (t) => [
    // Leads with the code, so that it serves the look-up within a program and the one over all programs.
    uniqueIndex("referral_links_code").on(t.codeKey, t.programId),
    check("referral_links_code_key", sql`${t.codeKey} = lower(${t.code})`),
    check("referral_links_status", oneOf(t.status, activeStatuses)),
  ],
);

/** Versions, never changed: the one in force at a sale is found by `effectiveFrom`. */
export const commissionPolicies = sqliteTable(
  "commission_policies",
  {
    id: id(),
    programId: programId(),
    /** Null: the program's policy. */
    partnerId: integer("partner_id").references(() => partners.id),
    version: integer("version").notNull(),
    type: text("type", { enum: policyTypes }).notNull(),
    rateBps: integer("rate_bps"),
    amountCents: integer("amount_cents"),
    currency: text("currency"),
    scope: text("scope", { enum: policyScopes }).notNull(),
    durationMonths: integer("duration_months"),
    holdDays: integer("hold_days").notNull(),
    minSaleCents: integer("min_sale_cents"),
    maxCommissionCents: integer("max_commission_cents"),
    effectiveFrom: instant("effective_from").notNull(),
    createdAt: instant("created_at").notNull(),
  },
  (t) => [
    uniqueIndex("commission_policies_version").on(t.programId, t.version),
    check(
      "commission_policies_type",
      sql`case ${t.type} when 'percent' then coalesce(${t.rateBps} between 0 and 10000, 0) when 'flat' then coalesce(${t.amountCents} >= 0, 0) and ${t.currency} is not null else ${t.type} = 'none' end`,
    ),
    check(
      "commission_policies_scope",
      sql`case ${t.scope} when 'recurring' then coalesce(${t.durationMonths} >= 1, 0) else ${t.scope} in ('one_time', 'lifetime') end`,
    ),
    check(
      "commission_policies_limits",
      sql`${t.currency} is not null or (${t.minSaleCents} is null and ${t.maxCommissionCents} is null)`,
    ),
    check("commission_policies_hold", sql`${t.holdDays} between 0 and 365`),
  ],
);

/** No row points here: a click may be known by its signed id before its row has been written. */
export const clicks = sqliteTable(
  "clicks",
  {
    id: id(),
    ...book(),
    clickId: text("click_id").notNull(),
    /** Null: a test click without a link. */
    linkId: integer("link_id").references(() => referralLinks.id),
    partnerId: integer("partner_id").references(() => partners.id),
    eventId: text("event_id"),
    existingClickId: text("existing_click_id"),
    eventName: text("event_name"),
    source: text("source", { enum: ["browser", "server"] }).notNull(),
    isBot: flag("is_bot"),
    isPrefetch: flag("is_prefetch"),
    /** A keyed digest, salted by book and day: equal only for the same visitor on the same day. */
    visitor: text("visitor"),
    pageUrl: text("page_url"),
    referrerUrl: text("referrer_url"),
    pageTitle: text("page_title"),
    screenResolution: text("screen_resolution"),
    viewportSize: text("viewport_size"),
    language: text("language"),
    timezone: text("timezone"),
    country: text("country"),
    region: text("region"),
    city: text("city"),
    deviceType: text("device_type"),
    os: text("os"),
    browser: text("browser"),
    occurredAt: instant("occurred_at").notNull(),
    createdAt: instant("created_at").notNull(),
    day: text("day").notNull(),
  },
  (t) => [
    uniqueIndex("clicks_click_id").on(t.clickId),
    // Newest first, counts of a span without bots, and the events of one partner, from the index alone.
    index("clicks_recent").on(t.programId, t.isTest, t.occurredAt, t.isBot, t.isPrefetch, t.partnerId),
    index("clicks_visitor").on(t.visitor, t.partnerId).where(sql`visitor is not null`),
  ],
);

/** Superseded by `clickEventIds`; a Worker of the release before still writes it. To be dropped a release later. */
export const clickEvents = sqliteTable(
  "click_events",
  {
    ...book(),
    eventId: text("event_id").notNull(),
    clickId: text("click_id").notNull(),
    recordedAt: instant("recorded_at").notNull(),
  },
  (t) => [primaryKey({ columns: [t.programId, t.isTest, t.eventId] })],
);

/** Callers' own click ids: which click an event on a link was recorded as, for 24 hours. */
export const clickEventIds = sqliteTable(
  "click_event_ids",
  {
    ...book(),
    /** 0: a test click without a link. */
    linkId: integer("link_id").notNull(),
    eventId: text("event_id").notNull(),
    clickId: text("click_id").notNull(),
    recordedAt: instant("recorded_at").notNull(),
  },
  (t) => [primaryKey({ columns: [t.programId, t.isTest, t.linkId, t.eventId] })],
);

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
    /** Whether the customer has no key. */
    isNameless: flag("is_nameless"),
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

export const leads = sqliteTable(
  "leads",
  {
    id: id(),
    ...book(),
    operationId: text("operation_id").notNull(),
    /** The operation that last moved it to another partner. */
    movedOperationId: text("moved_operation_id"),
    /** Null: a lead that settled no customer (provisional, or a browser's with a click too old). */
    customerId: integer("customer_id").references(() => customers.id),
    /** What tells unsettled leads apart. */
    unsettledKey: text("unsettled_key"),
    customerKey: text("customer_key"),
    isProvisional: flag("is_provisional"),
    evidence: text("evidence", { enum: evidences }).notNull(),
    partnerId: integer("partner_id").references(() => partners.id),
    partnerCode: text("partner_code"),
    clickId: text("click_id"),
    reason: text("reason"),
    clickAgeDays: integer("click_age_days"),
    windowDays: integer("window_days"),
    pageUrl: text("page_url"),
    eventName: text("event_name"),
    occurredAt: instant("occurred_at").notNull(),
    createdAt: instant("created_at").notNull(),
    day: text("day").notNull(),
  },
  (t) => [
    uniqueIndex("leads_customer").on(t.customerId).where(sql`customer_id is not null`),
    uniqueIndex("leads_unsettled").on(t.programId, t.isTest, t.unsettledKey).where(sql`unsettled_key is not null`),
    index("leads_recent").on(t.programId, t.isTest, t.occurredAt, t.partnerId),
    check("leads_settled", sql`(${t.customerId} is null) = (${t.unsettledKey} is not null)`),
    check("leads_provisional", sql`${t.isProvisional} = 0 or (${t.customerId} is null and ${t.partnerId} is null)`),
  ],
);

export const sales = sqliteTable(
  "sales",
  {
    id: id(),
    ...book(),
    transactionId: text("transaction_id").notNull(),
    operationId: text("operation_id").notNull(),
    customerId: integer("customer_id").references(() => customers.id),
    amountCents: integer("amount_cents").notNull(),
    currency: text("currency").notNull(),
    // As sent, for comparison with a repeat.
    sentCustomerKey: text("sent_customer_key"),
    sentClickId: text("sent_click_id"),
    saleType: text("sale_type", { enum: saleTypes }).notNull(),
    isRecurring: flag("is_recurring"),
    subscriptionId: text("subscription_id"),
    subscriptionInterval: text("subscription_interval", { enum: subscriptionIntervals }),
    productId: text("product_id"),
    eventName: text("event_name"),
    lineItems: text("line_items"),
    /** Null: organic. */
    partnerId: integer("partner_id").references(() => partners.id),
    partnerCode: text("partner_code"),
    reason: text("reason"),
    clickAgeDays: integer("click_age_days"),
    windowDays: integer("window_days"),
    refundedCents: integer("refunded_cents").notNull(),
    occurredAt: instant("occurred_at").notNull(),
    createdAt: instant("created_at").notNull(),
    day: text("day").notNull(),
  },
  (t) => [
    uniqueIndex("sales_transaction").on(t.programId, t.isTest, t.transactionId),
    index("sales_customer").on(t.customerId, t.occurredAt),
    index("sales_subscription")
      .on(t.programId, t.isTest, t.subscriptionId, t.occurredAt)
      .where(sql`subscription_id is not null`),
    index("sales_recent").on(t.programId, t.isTest, t.occurredAt, t.partnerId),
    check("sales_amount", sql`${t.amountCents} between 1 and 100000000000`),
    check("sales_refunded", sql`${t.refundedCents} between 0 and ${t.amountCents}`),
    check("sales_attributed", sql`(${t.partnerId} is null) = (${t.reason} is not null)`),
  ],
);

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

/** One for every sale. Its amount is the sum of its ledger entries, kept by a trigger. */
export const commissions = sqliteTable(
  "commissions",
  {
    id: id(),
    ...book(),
    saleId: integer("sale_id")
      .notNull()
      .references(() => sales.id),
    partnerId: integer("partner_id").references(() => partners.id),
    status: text("status", { enum: commissionStatuses }).notNull(),
    /** Why it is void. */
    reason: text("reason"),
    /** Rests on browser evidence alone. */
    isUnconfirmed: flag("is_unconfirmed"),
    /** When it was last approved, and whether by the end of its hold or by a person. */
    approvedAt: instant("approved_at"),
    approvedBy: text("approved_by", { enum: approvers }),
    /** What it was before any refund. */
    initialCents: integer("initial_cents").notNull(),
    amountCents: integer("amount_cents").notNull(),
    currency: text("currency").notNull(),
    holdUntil: instant("hold_until"),
    policyId: integer("policy_id").references(() => commissionPolicies.id),
    /** JSON: everything that made it what it is, frozen. */
    explanation: text("explanation").notNull(),
    createdAt: instant("created_at").notNull(),
  },
  (t) => [
    uniqueIndex("commissions_sale").on(t.saleId),
    // Ends with the row's id: newest first, page by page.
    index("commissions_program").on(t.programId, t.isTest),
    index("commissions_maturing").on(t.holdUntil).where(sql`status = 'pending' and is_unconfirmed = 0`),
    check("commissions_status", oneOf(t.status, commissionStatuses)),
    check("commissions_void", sql`(${t.status} = 'void') = (${t.reason} is not null)`),
    check("commissions_due", sql`${t.status} = 'void' or (${t.partnerId} is not null and ${t.holdUntil} is not null)`),
    check("commissions_approval", sql`(${t.approvedAt} is null) = (${t.approvedBy} is null)`),
    check("commissions_initial", sql`${t.initialCents} >= 0`),
    check("commissions_amount", sql`${t.amountCents} >= 0`),
  ],
);

/**
 * The money itself: appended, never changed, never removed; the database refuses both. `day` is the event's (charts),
 * `createdAt` the posting: when the Ledger wrote it, which rises with the id.
 */
export const ledgerEntries = sqliteTable(
  "ledger_entries",
  {
    id: id(),
    ...book(),
    /** Null: an adjustment, or of a payout. */
    commissionId: integer("commission_id").references(() => commissions.id),
    partnerId: integer("partner_id")
      .notNull()
      .references(() => partners.id),
    kind: text("kind", {
      enum: entryKinds,
    }).notNull(),
    amountCents: integer("amount_cents").notNull(),
    currency: text("currency").notNull(),
    /** The refund call that it is of. */
    refundId: integer("refund_id").references(() => refunds.id),
    occurredAt: instant("occurred_at").notNull(),
    createdAt: instant("created_at").notNull(),
    day: text("day").notNull(),
  },
  (t) => [
    index("ledger_entries_commission").on(t.commissionId).where(sql`commission_id is not null`),
    uniqueIndex("ledger_entries_earned").on(t.commissionId).where(sql`kind = 'earned'`),
    uniqueIndex("ledger_entries_rejected").on(t.commissionId).where(sql`kind = 'rejected'`),
    uniqueIndex("ledger_entries_moved").on(t.commissionId, t.partnerId).where(sql`kind = 'moved'`),
    uniqueIndex("ledger_entries_refunded").on(t.refundId).where(sql`refund_id is not null`),
    check(
      "ledger_entries_sign",
      sql`case when ${t.kind} in ('earned', 'restored', 'returned') then ${t.amountCents} >= 0 when ${t.kind} in ('reversed', 'rejected', 'paid') then ${t.amountCents} <= 0 else ${t.kind} in ('moved', 'adjusted') end`,
    ),
    check("ledger_entries_refund", sql`(${t.kind} in ('reversed', 'restored')) = (${t.refundId} is not null)`),
    check(
      "ledger_entries_of_commission",
      sql`(${t.kind} in ('adjusted', 'paid', 'returned')) = (${t.commissionId} is null)`,
    ),
  ],
);

/** What a chart reads. Kept by triggers in the transaction of each event; partner 0 and currency '' mean none. */
export const dailyCounts = sqliteTable(
  "daily_counts",
  {
    programId: integer("program_id").notNull(),
    isTest: flag("is_test"),
    day: text("day").notNull(),
    partnerId: integer("partner_id").notNull(),
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
  },
  (t) => [
    primaryKey({ columns: [t.programId, t.isTest, t.day, t.partnerId, t.currency] }),
    foreignKey({ columns: [t.programId], foreignColumns: [programs.id] }),
  ],
);

/** The last verification chain of each program. */
export const verificationRuns = sqliteTable(
  "verification_runs",
  {
    programId: programId().primaryKey(),
    click: text("click", { enum: chainVerdicts }).notNull(),
    lead: text("lead", { enum: chainVerdicts }).notNull(),
    sale: text("sale", { enum: chainVerdicts }).notNull(),
    isAttributed: flag("is_attributed"),
    /** Runs begun in the hour from `hourAt` on: they are limited exactly. */
    hourAt: instant("hour_at").notNull(),
    runsInHour: integer("runs_in_hour").notNull(),
    finishedAt: instant("finished_at"),
  },
  (t) => [check("verification_runs_hour", sql`${t.runsInHour} >= 0`)],
);

/** Who changed what of a program, from what to what: appended, never changed. */
export const auditEntries = sqliteTable(
  "audit_entries",
  {
    id: id(),
    programId: programId(),
    /** The operation that made the change: the same one again finds that it was made. */
    operationId: text("operation_id").notNull(),
    actorId: text("actor_id").notNull(),
    action: text("action").notNull(),
    /** What was changed: `partner 12`. */
    subject: text("subject").notNull(),
    /** JSON; null: it was not there before, or is not there any more. */
    before: text("before"),
    after: text("after"),
    createdAt: instant("created_at").notNull(),
  },
  (t) => [uniqueIndex("audit_entries_operation").on(t.operationId), index("audit_entries_program").on(t.programId)],
);

// Users and their sessions, in the shape of better-auth, which began them.

const date = (name: string) => integer(name, { mode: "timestamp_ms" });
const stamps = () => ({ createdAt: date("created_at").notNull(), updatedAt: date("updated_at").notNull() });
const userId = () =>
  text("user_id")
    .notNull()
    .references(() => users.id);

export const users = sqliteTable(
  "users",
  {
    id: text("id").primaryKey(),
    name: text("name").notNull(),
    email: text("email").notNull(),
    emailVerified: flag("email_verified").default(false),
    image: text("image"),
    ...stamps(),
  },
  (t) => [uniqueIndex("users_email").on(t.email)],
);

export const sessions = sqliteTable(
  "sessions",
  {
    id: text("id").primaryKey(),
    token: text("token").notNull(),
    userId: userId(),
    expiresAt: date("expires_at").notNull(),
    /** Never filled: no address and no user agent is stored. */
    ipAddress: text("ip_address"),
    userAgent: text("user_agent"),
    /** Browser and system, as the parser names them. */
    device: text("device"),
    /** The country's code. */
    place: text("place"),
    ...stamps(),
  },
  (t) => [
    uniqueIndex("sessions_token").on(t.token),
    index("sessions_user").on(t.userId),
    check("sessions_no_traces", sql`${t.ipAddress} is null and ${t.userAgent} is null`),
  ],
);

export const accounts = sqliteTable(
  "accounts",
  {
    id: text("id").primaryKey(),
    accountId: text("account_id").notNull(),
    providerId: text("provider_id").notNull(),
    userId: userId(),
    accessToken: text("access_token"),
    refreshToken: text("refresh_token"),
    idToken: text("id_token"),
    accessTokenExpiresAt: date("access_token_expires_at"),
    refreshTokenExpiresAt: date("refresh_token_expires_at"),
    scope: text("scope"),
    password: text("password"),
    ...stamps(),
  },
  (t) => [index("accounts_user").on(t.userId)],
);

export const verifications = sqliteTable(
  "verifications",
  {
    id: text("id").primaryKey(),
    identifier: text("identifier").notNull(),
    value: text("value").notNull(),
    expiresAt: date("expires_at").notNull(),
    ...stamps(),
  },
  (t) => [index("verifications_identifier").on(t.identifier)],
);

/** Attempts to sign in, by a digest of the address or of the account they were made at. */
export const rateLimits = sqliteTable("rate_limits", {
  key: text("key").primaryKey(),
  count: integer("count").notNull(),
  lastRequest: integer("last_request").notNull(),
});

/** Tokens that let one person each sign up where sign-up is by invitation, and create a workspace. */
export const signUpTokens = sqliteTable("sign_up_tokens", {
  tokenHash: text("token_hash").primaryKey(),
  expiresAt: instant("expires_at").notNull(),
  usedBy: text("used_by").references(() => users.id),
  usedAt: instant("used_at"),
  createdAt: instant("created_at").notNull(),
});

/** Who changed what of a workspace's members and invitations. Append-only. */
export const workspaceAuditEntries = sqliteTable(
  "workspace_audit_entries",
  {
    id: id(),
    workspaceId: text("workspace_id")
      .notNull()
      .references(() => workspaces.id),
    /** The request that made the change: sent again it adds no entry. */
    operationId: text("operation_id").notNull(),
    actorId: text("actor_id").notNull(),
    action: text("action").notNull(),
    /** What was changed: `member <id>`, `invitation <id>`. */
    subject: text("subject").notNull(),
    /** JSON without names or addresses: they are looked up when it is read. */
    before: text("before"),
    after: text("after"),
    createdAt: instant("created_at").notNull(),
  },
  (t) => [
    uniqueIndex("workspace_audit_entries_operation").on(t.operationId),
    index("workspace_audit_entries_workspace").on(t.workspaceId),
  ],
);
