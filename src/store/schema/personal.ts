import type { SQLiteTable } from "drizzle-orm/sqlite-core";
import type { ErasedForm } from "#domain/erasure.ts";
import type * as applications from "./applications.ts";
import type * as audit from "./audit.ts";
import type * as bonuses from "./bonuses.ts";
import type * as claims from "./claims.ts";
import type * as clicks from "./clicks.ts";
import type * as signals from "./commission-signals.ts";
import type * as commissions from "./commissions.ts";
import type * as coupons from "./coupons.ts";
import type * as customers from "./customers.ts";
import type * as counts from "./daily-counts.ts";
import type * as embeds from "./embeds.ts";
import type * as identifiers from "./erased-identifiers.ts";
import type * as erasures from "./erasures.ts";
import type * as events from "./events.ts";
import type * as joinPages from "./join-pages.ts";
import type * as leads from "./leads.ts";
import type * as writers from "./ledger-writers.ts";
import type * as mails from "./mails.ts";
import type * as members from "./members.ts";
import type * as notes from "./notes.ts";
import type * as offers from "./offers.ts";
import type * as access from "./partner-access.ts";
import type * as balances from "./partner-balances.ts";
import type * as groups from "./partner-groups.ts";
import type * as partners from "./partners.ts";
import type * as payment from "./payment-details.ts";
import type * as payouts from "./payouts.ts";
import type * as places from "./places.ts";
import type * as policies from "./policies.ts";
import type * as programs from "./programs.ts";
import type * as hours from "./recent-hours.ts";
import type * as reconciliations from "./reconciliations.ts";
import type * as refunds from "./refunds.ts";
import type * as retention from "./retention.ts";
import type * as sales from "./sales.ts";
import type * as identity from "./shard-identity.ts";
import type * as shards from "./shards.ts";
import type * as teamMail from "./team-mail.ts";
import type * as tiers from "./tiers.ts";
import type * as units from "./units.ts";
import type * as unknown from "./unknown-codes.ts";
import type * as users from "./users.ts";
import type * as verification from "./verification.ts";
import type * as webhooks from "./webhooks.ts";
import type * as workspaces from "./workspaces.ts";

type Schema = typeof applications &
  typeof audit &
  typeof bonuses &
  typeof claims &
  typeof clicks &
  typeof signals &
  typeof commissions &
  typeof coupons &
  typeof customers &
  typeof counts &
  typeof embeds &
  typeof erasures &
  typeof identifiers &
  typeof events &
  typeof joinPages &
  typeof leads &
  typeof writers &
  typeof mails &
  typeof members &
  typeof notes &
  typeof offers &
  typeof access &
  typeof balances &
  typeof groups &
  typeof partners &
  typeof payment &
  typeof payouts &
  typeof places &
  typeof policies &
  typeof programs &
  typeof hours &
  typeof reconciliations &
  typeof refunds &
  typeof retention &
  typeof sales &
  typeof identity &
  typeof shards &
  typeof teamMail &
  typeof tiers &
  typeof units &
  typeof unknown &
  typeof users &
  typeof verification &
  typeof webhooks &
  typeof workspaces;

/**
 * The person whose data a text column may contain: a customer, a partner, an account, or none. For a customer's data,
 * the form determines how an erasure replaces it.
 */
type Holds = ErasedForm | "partner" | "account" | "nothing";

/** Columns with these names contain no personal data in any table. */
type Impersonal = "currency" | "day" | "operationId" | "workspaceId";

type FreeTexts<Row> = {
  [Column in keyof Row as string extends Row[Column] ? Exclude<Column, Impersonal> : never]-?: Holds;
};

type Declared = {
  readonly [Name in keyof Schema as Schema[Name] extends SQLiteTable ? Name : never]: Schema[Name] extends SQLiteTable
    ? FreeTexts<Schema[Name]["$inferSelect"]>
    : never;
};

/**
 * Classifies every text column of every table by the personal data that it may contain. An unclassified column doesn't
 * compile.
 */
export const personal = {
  auditEntries: {
    actorId: "account",
    action: "nothing",
    subject: "nothing",
    before: "trail",
    after: "trail",
    via: "trail",
  },
  claims: { digest: "partner" },
  claimCounts: {},
  clicks: {
    clickId: "click_id",
    codeParam: "nothing",
    sub: "text",
    eventId: "text",
    existingClickId: "click_id",
    eventName: "text",
    visitor: "visitor",
    pageUrl: "text",
    referrerUrl: "text",
    pageTitle: "text",
    screenResolution: "text",
    viewportSize: "text",
    language: "text",
    timezone: "text",
    country: "text",
    region: "text",
    city: "text",
    deviceType: "text",
    os: "text",
    browser: "text",
  },
  clickEventIds: { eventId: "text", clickId: "click_id" },
  commissionSignals: { evidence: "nothing" },
  commissions: { sub: "text", reason: "nothing", explanation: "commission_explanation" },
  ledgerEntries: {},
  coupons: {},
  couponCodes: { codeKey: "partner", code: "partner" },
  customers: {
    customerKey: "customer_key",
    clickId: "click_id",
    reason: "nothing",
    importedSubscriptionId: "id",
    emailHash: "text",
    similarHash: "text",
    emailMask: "text",
    addressMarks: "text",
    erasedEvidence: "nothing",
  },
  pendingMoves: {},
  customerClicks: { clickId: "click_id" },
  dailyCounts: {},
  embeds: { embedId: "nothing", origins: "nothing", theme: "nothing" },
  erasures: {
    id: "nothing",
    requestedBy: "account",
    asked: "nothing",
    customerIds: "nothing",
    rows: "nothing",
    before: "nothing",
    after: "nothing",
  },
  erasedIdentifiers: { digest: "nothing", erasureId: "nothing" },
  events: { before: "nothing", after: "nothing" },
  joinPages: { slug: "nothing", headline: "nothing", description: "nothing", questions: "nothing" },
  joinSlugs: { slug: "nothing" },
  partnerTerms: { text: "nothing" },
  acceptedTerms: { accountId: "account" },
  applications: { accountId: "account", name: "account", website: "account", answers: "account", openedOn: "nothing" },
  leads: {
    movedOperationId: "nothing",
    unresolvedKey: "lead_name",
    customerKey: "customer_key",
    partnerCode: "partner",
    clickId: "click_id",
    reason: "nothing",
    explanation: "lead_explanation",
    pageUrl: "text",
    eventName: "text",
  },
  ledgerWriters: { name: "nothing" },
  mails: { id: "nothing", content: "account", origin: "nothing" },
  notes: { subject: "nothing", text: "text" },
  offers: { label: "nothing", details: "nothing" },
  offerCoupons: { codeKey: "nothing", code: "nothing" },
  partnerAccounts: { accountId: "account", emailHash: "account", similarHash: "account" },
  partnerInvitations: { tokenHash: "nothing", usedBy: "account", invitedBy: "account" },
  accountPartners: { accountId: "account" },
  partnerBalances: {},
  partnerGroups: { name: "nothing" },
  units: { code: "nothing", one: "nothing", other: "nothing" },
  groupMemberships: {},
  partners: {
    name: "partner",
    email: "partner",
    emailHash: "partner",
    similarHash: "partner",
    externalId: "partner",
    erasureId: "nothing",
  },
  referralLinks: { code: "partner", codeKey: "partner", destinationUrl: "nothing" },
  paymentDetails: {
    last4: "partner",
    ciphertext: "partner",
    sealId: "nothing",
    digest: "partner",
    accountDigest: "partner",
    setBy: "account",
  },
  payouts: {
    reference: "nothing",
    partnerIds: "nothing",
    createdBy: "account",
    finalizedBy: "account",
    confirmedBy: "account",
    canceledBy: "account",
  },
  payoutLines: {
    name: "partner",
    email: "partner",
    externalId: "partner",
    failedBy: "account",
    settlementId: "nothing",
    lateSettlementId: "nothing",
    evidence: "nothing",
    evidenceSalt: "partner",
  },
  payoutRanges: {},
  payoutGaps: {},
  liveLines: {},
  adjustments: { reference: "nothing", createdBy: "account" },
  programPlaces: { websiteUrl: "nothing" },
  foreignCodes: { codeKey: "partner", destinationUrl: "nothing" },
  commissionPolicies: {},
  programs: {
    name: "nothing",
    websiteUrl: "nothing",
    timezone: "nothing",
    payoutTerms: "nothing",
    payerName: "nothing",
    payerIban: "nothing",
    payerBic: "nothing",
    issuerName: "nothing",
    issuerAddress: "nothing",
    issuerTaxId: "nothing",
    blockedHosts: "nothing",
  },
  programKeys: { name: "nothing", hash: "nothing", lastFour: "nothing" },
  removedClicks: {},
  programRetention: { eventId: "nothing" },
  recentHours: {},
  refunds: { refundId: "id", outcomeReason: "nothing", reason: "text" },
  sales: {
    transactionId: "id",
    sentCustomerKey: "customer_key",
    sentClickId: "click_id",
    subscriptionId: "id",
    productId: "nothing",
    eventName: "text",
    lineItems: "text",
    items: "items",
    coupons: "coupons",
    partnerCode: "partner",
    reason: "nothing",
  },
  idFloors: {},
  shardIdentity: { installation: "nothing" },
  shards: { location: "nothing" },
  programMoves: {},
  idRanges: {},
  teamMailChoices: { userId: "account" },
  teamMailStops: { userId: "account" },
  teamMailRuns: {},
  teamMailTasks: { userId: "account", programName: "nothing", tasks: "nothing" },
  bonuses: { salesCurrency: "nothing", fromPeriod: "nothing", untilPeriod: "nothing" },
  dueBonuses: { lastMonth: "nothing" },
  tierBooks: { scanFrom: "nothing" },
  tierCounts: { month: "nothing" },
  tierSteps: { period: "nothing" },
  unknownCodes: { code: "nothing" },
  users: { id: "account", name: "account", email: "account", image: "account" },
  sessions: {
    id: "nothing",
    userId: "account",
    token: "nothing",
    ipAddress: "nothing",
    userAgent: "nothing",
    device: "account",
    place: "account",
    identityId: "nothing",
  },
  accounts: {
    id: "nothing",
    userId: "account",
    accountId: "account",
    providerId: "nothing",
    accessToken: "nothing",
    refreshToken: "nothing",
    idToken: "nothing",
    scope: "nothing",
    password: "account",
  },
  verifications: { id: "nothing", identifier: "account", value: "account" },
  rateLimits: { key: "nothing" },
  signUpTokens: { tokenHash: "nothing", usedBy: "account" },
  partnerSignUps: { tokenHash: "nothing", userId: "account" },
  secondFactors: { userId: "account", secret: "account", usedBy: "nothing" },
  recoveryCodes: { userId: "account", codeHash: "account", usedBy: "nothing" },
  accountEvents: { userId: "account", device: "account", place: "account" },
  verificationRuns: {},
  reconciliations: { processor: "nothing" },
  webhooks: { url: "nothing", description: "nothing", types: "nothing", replays: "nothing" },
  webhookSecrets: { sealId: "nothing", sealed: "nothing" },
  webhookDeliveries: { eventId: "nothing", type: "nothing" },
  workspaces: { id: "nothing", name: "nothing" },
  memberships: { id: "nothing", userId: "account" },
  invitations: { id: "nothing", tokenHash: "nothing", email: "account", invitedBy: "account" },
  workspaceAuditEntries: {
    actorId: "account",
    action: "nothing",
    subject: "nothing",
    before: "nothing",
    after: "nothing",
  },
} as const satisfies Declared;
