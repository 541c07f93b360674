/** A chapter of docs/architecture.md. */
export type Chapter =
  | "Sales"
  | "Commissions"
  | "Payouts"
  | "Partners"
  | "People"
  | "Processes"
  | "Data"
  | "Operating"
  | "Dashboard"
  | "SDK";

export interface Capability {
  readonly name: string;
  readonly chapter: Chapter;
  /**
   * Rules for the capability's files, separated by white space. A rule with a slash or a dot is the beginning of a
   * path. Any other rule is a word of a path, also in the plural: `payout` matches `store/payouts.ts` and
   * `payout-page.tsx`.
   */
  readonly rules: string;
  /** Further rules, for tests only. They apply to tests that match no rule of any capability. */
  readonly testRules?: string;
}

/** All capabilities. A file belongs to the first one with a matching rule, so narrow capabilities come first. */
export const capabilities: readonly Capability[] = [
  { name: "sample", chapter: "Operating", rules: "scripts/sample/ sample" },
  { name: "audit", chapter: "Data", rules: "scripts/audit/ scripts/operate/audit.ts" },
  {
    name: "backup",
    chapter: "Operating",
    rules: `
      scripts/backup/ scripts/operate/backup.ts scripts/operate/compact.ts scripts/operate/restore.ts
      scripts/operate/after-restore.ts scripts/database/prepare-restored.ts src/store/restores.ts
    `,
  },
  { name: "estimates", chapter: "Commissions", rules: "estimate" },
  { name: "rounds", chapter: "Processes", rules: "src/engine/" },
  {
    name: "payment processors",
    chapter: "SDK",
    rules: "sdk/src/processors/ sdk/src/stripe sdk/src/paddle sdk/src/polar sdk/src/lemon-squeezy scripts/vendors/",
    testRules:
      "test/sdk/stripe test/sdk/paddle test/sdk/polar test/sdk/lemon-squeezy test/sdk/vendor test/sdk/processor test/sdk/fake-processors test/sdk/renewals test/examples/stripe test/examples/vendor test/examples/processors",
  },
  {
    name: "privacy",
    chapter: "Data",
    rules: `
      src/operations/privacy/ scripts/erasures/ dashboard/src/pages/settings/privacy/ erasure erased erase privacy
      personal person own-data src/doors/partner/export.ts scripts/operate/rotate-data-keys.ts data-key email-digest
      encrypted-data
    `,
  },
  { name: "retention", chapter: "Data", rules: "retention src/store/accounts/expired.ts" },
  {
    name: "shards",
    chapter: "Processes",
    rules: "src/operations/places/ scripts/shards/ shard place hand-over move-step location directory",
    testRules: "test/faults/moves test/support/moving-shops",
  },
  {
    name: "webhooks and the feed",
    chapter: "Sales",
    rules: `
      webhook feed listen deliveries example-event unsigned-event event-type event-page src/domain/event.ts
      src/store/schema/events.ts src/store/triggers/events.sql sdk/src/events.ts src/deliver/attempt
      src/deliver/sending.ts src/deliver/signature.ts sdk/src/signature.ts
    `,
  },
  { name: "request log", chapter: "Sales", rules: "src/requests/ request note-call call-buffer" },
  {
    name: "missing sales",
    chapter: "Partners",
    rules: `
      src/operations/claims/ src/domain/claim.ts src/api/claims.ts src/store/claims.ts
      src/store/schema/claims.ts src/store/triggers/claims.sql src/store/views/claims.ts src/doors/member/claims.ts
      src/doors/partner/claims.ts src/doors/embed/claims.ts own-claim nearby-sales
       own-nearby missing-sale src/operations/manage/assignment.ts
    `,
    testRules: "test/contract/claims test/dashboard/claims test/support/claims-fixture",
  },
  {
    name: "mail",
    chapter: "People",
    rules: "src/domain/mail/ src/operations/mail/ src/deliver/ mail mailbox",
  },
  {
    name: "join page and terms",
    chapter: "Partners",
    rules: "src/operations/join/ join application terms-dialog terms-text accepted_term partner_term",
  },
  {
    name: "referral page in a product",
    chapter: "Partners",
    rules: "src/operations/embed/ src/doors/embed/ embed embedded",
  },
  {
    name: "access of partners",
    chapter: "Partners",
    rules: `
      src/operations/access/ partner-access partner-invitation invite-partner invite-all partner-sign-up
      account-partner account_partner
    `,
  },
  {
    name: "import and export",
    chapter: "Partners",
    rules: "importer/ src/api/imports/ src/operations/import/ import bind-directly export-file sdk/cli/export.ts",
    testRules: "test/importer/ test/http/imported-rows test/contract/export-rows",
  },
  {
    name: "payouts",
    chapter: "Payouts",
    rules: `
      src/operations/payouts/ dashboard/src/pages/payouts/ dashboard/src/pages/statement/ payout payment payer
      balance adjustment pay-format posting line-evidence later-than src/api/statements.ts
      src/api/statement-record.ts src/doors/member/statements.ts partner-statement src/doors/partner/statement.ts
      dashboard/src/styles/statement.css src/operations/entry.ts sealed-detail statement-sum line-sum
    `,
    testRules:
      "test/contract/settlement test/faults/settlement test/support/settlement-fixture test/sdk/fake-settlement test/dashboard/finalize test/dashboard/paid-where test/dashboard/pay-day test/dashboard/pay-files test/http/pay-lines test/http/payee-names test/contract/details-limits test/support/pain",
  },
  { name: "offers", chapter: "Partners", rules: "offer" },
  { name: "bonuses", chapter: "Commissions", rules: "src/operations/bonuses/ bonus bonuses" },
  { name: "units", chapter: "Commissions", rules: "unit currency-sums" },
  { name: "coupons", chapter: "Partners", rules: "coupon" },
  { name: "groups", chapter: "Commissions", rules: "src/operations/groups/ group" },
  {
    name: "what-if",
    chapter: "Commissions",
    rules: "what-if simulation simulated",
    testRules: "test/contract/simulate",
  },
  {
    name: "tiers",
    chapter: "Commissions",
    rules: "tiers tier step-of-sale kept-step reached-steps steps-of-periods months-of-period step-history",
  },
  { name: "policies and rules", chapter: "Commissions", rules: "policies policy rule" },
  {
    name: "risk",
    chapter: "Commissions",
    rules: "risk signal held hold review release track-record referrer click-pace nearby-sale",
    testRules: "test/contract/many-sources test/contract/similar-addresses",
  },
  { name: "explain", chapter: "Sales", rules: "explain" },
  {
    name: "verification",
    chapter: "Sales",
    rules: `
      dashboard/src/pages/setup/ src/api/verification/ sdk/cli/doctor/ verification verify readiness testing
      test-mode test-event integration
    `,
  },
  {
    name: "partners' pages",
    chapter: "Partners",
    rules: `
      dashboard/src/partner/ dashboard/partner/ src/doors/partner/ own partner-overview partner-scope commission-ref
      open-page link-maker partner-example partner-document
    `,
  },
  {
    name: "assistants",
    chapter: "Partners",
    rules:
      "src/doors/key/agent/ src/api/proposals/ dashboard/src/pages/proposal/ agent proposal proposed token-text sealed-token",
    testRules: "test/support/proposing",
  },
  {
    name: "reconciliation",
    chapter: "Sales",
    rules: "sdk/cli/reconcile/ reconciliation src/api/sales.ts src/doors/key/sales.ts recorded-sales",
    testRules: "test/sdk/reconcile test/examples/reconcile",
  },
  {
    name: "command line",
    chapter: "SDK",
    rules: "sdk/cli/ sdk/bin.js",
    testRules: "test/sdk/cli test/sdk/command test/sdk/doctor test/sdk/replay-files",
  },
  { name: "SDK", chapter: "SDK", rules: "sdk/ scripts/build/sdk.ts", testRules: "test/sdk/ test/examples/" },
  { name: "audit trail", chapter: "People", rules: "audit noted note actor" },
  {
    name: "accounts",
    chapter: "People",
    rules: `
      src/doors/member/auth/ src/store/accounts/ dashboard/src/pages/account/ account session password totp
      two-factor second_factor sign-in sign-up oidc issuer-network member membership workspace invitation invite-owner user role
      recovery-code reauthenticate known-device src/doors/member/guards.ts src/doors/member/authorize.ts
      src/operations/authorize.ts
    `,
    testRules: "test/contract/issuer test/contract/verified-addresses",
  },
  {
    name: "keys",
    chapter: "People",
    rules: `
      dashboard/src/pages/settings/keys/ src/doors/key/guards.ts src/doors/key/by-key.ts src/store/keys.ts api-key
      key-grant one-time-key save-key program-key known-key key-use unresolved-key check-key create-key new-key
      retire-key rotate-key update-key
    `,
    testRules:
      "test/contract/keys test/contract/key-scopes test/contract/keyed-lists test/contract/manage-keys test/dashboard/keys",
  },
  { name: "programs", chapter: "Partners", rules: "program setting" },
  { name: "partners", chapter: "Partners", rules: "partner link code-owner code website-form" },
  {
    name: "commissions",
    chapter: "Commissions",
    rules: `
      commission approval decision correct correction outcome evidence src/operations/manage/kept-credit.ts
      src/operations/manage/rebinding.ts uncorrectable
    `,
  },
  {
    name: "tracking",
    chapter: "Sales",
    rules: `
      src/routes/track/ src/operations/track/ src/operations/attribution/ tracker/ attribution click lead sale
      refund customer visit sub-id item currency money landing page-url buyer daily-count recent-hour recent_hour
      visitor-key
    `,
    testRules: "test/browser/ test/contract/window-until",
  },
  {
    name: "reports and lists",
    chapter: "Dashboard",
    rules:
      "src/store/reports/ overview performance day-entries breakdown explore long-reads search event period chart narrowing cursor csv page download",
  },
  {
    name: "Ledger",
    chapter: "Processes",
    rules: `
      src/ledger/ ledger spill fenced-row hrana multi-row statement src/operations/operation.ts
      src/operations/table.ts src/operations/locks.ts src/store/database.ts
    `,
  },
  {
    name: "documents that are served",
    chapter: "Operating",
    rules: "src/routes/openapi/ src/routes/docs/ openapi document guide markdown",
  },
  {
    name: "operation of a service",
    chapter: "Operating",
    rules: "scripts/ runtime/ src/doors/operator/ operator",
    testRules: "test/runtime/ test/node/ test/project/ test/workerd/",
  },
  { name: "dashboard, common parts", chapter: "Dashboard", rules: "dashboard/", testRules: "test/dashboard/" },
  {
    name: "HTTP",
    chapter: "Processes",
    rules: "src/http/ src/routes/ src/env.ts src/check-env.ts src/app.ts src/worker.ts visible-text",
    testRules:
      "test/http/ test/fuzz/ test/contract/headers test/contract/https test/contract/limits test/contract/logs test/contract/static-files",
  },
  {
    name: "common rules and tables",
    chapter: "Data",
    rules: "src/domain/ src/store/ src/operations/ src/api/ src/doors/",
  },
];
