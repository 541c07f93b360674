// The columns of the books, and how to spoil one row of each.

/** Tables that aren't part of the books. */
export const others: Readonly<Record<string, string>> = {
  partner_invitations: "who may become an account of a partner",
  partner_accounts: "who sees a partner's side: has rules of its own",
  account_partners: "an index that decides nothing",
  join_pages: "a page",
  join_slugs: "an index that decides nothing",
  partner_terms: "texts, which the database keeps as they are",
  accepted_terms: "who accepted which: has rules of its own",
  applications: "people",
  webhooks: "where events go to",
  webhook_secrets: "what signs deliveries",
  webhook_deliveries: "what is to be delivered again",
  erasures: "receipts: have rules of their own",
  erased_identifiers: "digests under a secret that no row has",
  mails: "texts to send, and which were sent",
  workspaces: "who owns programs",
  memberships: "people",
  invitations: "people",
  users: "people",
  sessions: "people",
  accounts: "people",
  verifications: "people",
  sign_up_tokens: "people",
  partner_sign_ups: "people",
  second_factors: "people",
  recovery_codes: "people",
  account_events: "people",
  workspace_audit_entries: "people",
  rate_limits: "attempts to sign in",
  program_places: "where programs are: compared across shards",
  program_moves: "where programs are: compared across shards",
  foreign_codes: "codes of other shards: compared across shards",
  shards: "the shards that new programs are created on",
  shard_identity: "compared by the Ledger with what it expects",
  id_ranges: "ids of this database and of others",
  id_floors: "ids of this database",
  verification_runs: "the last verification of each program, told by itself",
  program_retention: "what retention has looked at: nothing is decided by it",
  schema_migrations: "the journal by which the audit knows the schema",
};

const asSent = "as it was sent: nothing is decided by it, and nothing is made of it";
const asAnswered = "as the lead was answered: its customer may have been bound otherwise since";
const identity = "tells a call that is sent again from another: no other row holds it";

const acrossShards = "where the program is: compared across shards";

const copied = "as it was when the line was computed: the partner may have changed since";

/** Columns that nothing else in the books can check. */
export const unnoticed: Readonly<Record<string, string>> = {
  "ledger_writers.at": "when the newest batch was: the next one replaces it",
  "events.epoch": "tells what is of the commit under way, and what is from before a restore",
  "events.batch": "tells what is of the commit under way, and nothing afterwards",
  "programs.left_to": acrossShards,
  "programs.leave_by": acrossShards,
  "programs.move_id": acrossShards,
  "clicks.id": "no row names a click by it",
  "clicks.code_param": asSent,
  "clicks.existing_click_id": asSent,
  "clicks.event_name": asSent,
  "clicks.page_url": asSent,
  "clicks.referrer_url": asSent,
  "clicks.page_title": asSent,
  "clicks.screen_resolution": asSent,
  "clicks.viewport_size": asSent,
  "clicks.language": asSent,
  "clicks.timezone": asSent,
  "clicks.country": asSent,
  "clicks.region": asSent,
  "clicks.city": asSent,
  "clicks.device_type": asSent,
  "clicks.os": asSent,
  "clicks.browser": asSent,
  "customers.click_age_days": "at the event that chose the click: the customer may have been bound anew since",
  "customers.email_hash": asSent,
  "customers.similar_hash": asSent,
  "customers.email_mask": asSent,
  "customers.erased_evidence": "what signals had told at the erasure: they may have ended or moved since",
  "customer_clicks.shown_at": "no other row holds the time of the call",
  "leads.id": "no row names a lead by it",
  "leads.operation_id": identity,
  "leads.moved_operation_id": identity,
  "leads.click_age_days": asAnswered,
  "leads.window_days": asAnswered,
  "leads.page_url": asSent,
  "leads.event_name": asSent,
  "sales.operation_id": identity,
  "sales.subscription_id": asSent,
  "sales.product_id": asSent,
  "sales.event_name": asSent,
  "refunds.operation_id": identity,
  "refunds.reason": asSent,
  "pending_moves.is_partner_active": "states have no history: it is the only row that knows",
  "pending_moves.is_program_active": "states have no history: it is the only row that knows",
  "pending_moves.policy_version": "what was known then has no history: it is the only row that knows",
  "pending_moves.created_at": "the order in which moves go on",
  "program_keys.hash": "the digest of a key that is stored nowhere",
  "ledger_writers.epoch": "the Ledger alone knows: its next batch fails",
  "ledger_writers.seq": "the Ledger alone knows: its next batch fails",
  "ledger_writers.committed_at": "no row holds the time of a commit: postings are only as late as it",
  "ledger_writers.id_floor": "ids that were given out and lost: no row has them",
  "ledger_writers.restored_at": "nothing else knows when a restore was noticed",
  "ledger_writers.restored_epoch": "nothing else knows when a restore was noticed",
  "ledger_writers.backup_at": "nothing else knows when a backup was made",
  "partners.email": asSent,
  "partners.email_hash": "the digest of an address under a secret that no row has",
  "partners.similar_hash": "the digest of an address under a secret that no row has",
  "referral_links.destination_url": asSent,
  "payout_lines.name": copied,
  "payout_lines.email": copied,
  "payout_lines.details_changed_at": copied,
  "payout_lines.before_cents": "what the draft proposed: no row has it any more",
  "payment_details.last4": "of what is sealed",
  "payment_details.ciphertext": "read by the edge alone",
  "payment_details.seal_id": "of what is sealed",
  "payment_details.digest": "of what is sealed",
  "payment_details.account_digest": "of what is sealed",
  "notes.text": "the only row with the text",
  "audit_entries.actor_id": "people are removed, and their entries stay",
};

export interface Spoiled {
  /** Selects the row. Default: the first with a value. */
  readonly where?: string;
  /** Default: a number plus one, a flag negated, a text made longer. */
  readonly to?: string;
}

const rotated =
  "id = (select max(k.id) from program_keys k where k.program_id = t.program_id) and retires_at is null and program_id in (select program_id from audit_entries where action = 'key.rotated')";

/** Columns whose default spoiled value would be valid too, or matters only in some rows. */
export const spoiled: Readonly<Record<string, Spoiled>> = {
  "notes.text": { where: "kind = 'reason'" },
  "audit_entries.id": { where: "after like '%paused%'" },
  "referral_links.status": { where: "code = 'later'", to: "'active'" },
  "referral_links.made_by": { where: "code = 'later'", to: "'import'" },
  ...Object.fromEntries(
    ["workspace_id", "name", "website_url", "currency", "timezone", "attribution_window_days"].map((name) => [
      `programs.${name}`,
      { where: "id in (select program_id from audit_entries where action = 'program.created')" },
    ]),
  ),
  "partners.name": {
    where:
      "'partner ' || id in (select subject from audit_entries where action like 'partner.%' and after like '%\"name\"%')",
  },
  "group_memberships.effective_from": { where: "effective_from > 0", to: "1" },
  "commission_policies.created_at": { where: "operation_id is not null" },
  "audit_entries.operation_id": { where: "action = 'policy.set'" },
  ...Object.fromEntries(
    ["id", "program_id", "last_four", "created_at", "origin_id", "name"].map((name) => [
      `program_keys.${name}`,
      { where: rotated },
    ]),
  ),
  "program_keys.scopes": { where: rotated, to: "'read'" },
  "program_keys.book": { where: rotated, to: "'both'" },
  "programs.status": {
    where: "exists (select 1 from audit_entries a where a.after like '%status%' and a.program_id = t.id)",
  },
  "partners.is_risk_exempt": {
    where: "'partner ' || id in (select subject from audit_entries where after like '%isRiskExempt%')",
  },
  "commission_policies.rules": { where: "rules is not null", to: "json_replace(rules, '$[0].rateBps', 2999)" },
  "sales.items": { where: "items is not null", to: "json_replace(items, '$[0].productId', 'card')" },
  "programs.blocked_hosts": { where: "blocked_hosts <> '[]'" },
  "programs.partners_see_revenue": { where: "partners_see_revenue" },
  "programs.require_details": { where: "require_details" },
  "programs.created_at": {
    where: "exists (select 1 from audit_entries a where a.action = 'program.created' and a.program_id = t.id)",
  },
  "clicks.occurred_at": { where: "click_id in (select click_id from customer_clicks)" },
  "clicks.click_id": { where: "event_id is not null" },
  "clicks.created_at": { where: "event_id is not null" },
  "clicks.program_id": { where: "link_id is not null" },
  "clicks.is_test": { where: "event_id is not null" },
  "customers.confirmed_at": { where: "evidence = 'key'", to: "null" },
  "customers.window_days": { where: "first_attributed_sale_at is not null and evidence = 'key'" },
  "customers.model": { where: "first_attributed_sale_at is not null and evidence = 'key'", to: "'first_click'" },
  "customers.window_until": { where: "first_attributed_sale_at is not null and evidence = 'key'", to: "'first_sale'" },
  "customers.bound_at": { where: "first_attributed_sale_at is not null and evidence = 'key'" },
  "customers.bound_by": {
    where: "bound_by = 'lead' and first_attributed_sale_at is not null and evidence = 'key'",
    to: "'sale'",
  },
  "customer_clicks.has_settled_in_browser": { where: "evidence = 'browser'" },
  "sales.is_recurring": { where: "is_recurring = 0 and partner_code = 'ONCE'" },
  "refunds.refund_id": { where: "refund_id = 'canceled'" },
  "refunds.told_at": { where: "told_at is not null" },
  "refunds.created_at": { to: "t.created_at - 1" },
  "leads.created_at": { to: "t.created_at - 1" },
  "leads.occurred_at": { where: "occurred_at = created_at" },
  "refunds.occurred_at": { where: "told_at is not null" },
  "commissions.approved_at": {
    where: "approved_by = 'person' and sale_id not in (select sale_id from refunds where asked = 'cancel')",
    to: "1",
  },
  "commissions.payable_number": { where: "status = 'approved'", to: "1" },
  "commissions.reversed_number": { to: "1" },
  "commissions.approved_by": { where: "approved_by = 'hold'", to: "'person'" },
  "commissions.reason": { to: "'below_minimum'" },
  "commissions.status": { where: "status = 'pending'", to: "'approved'" },
  // A line that was left out holds nothing.
  ...Object.fromEntries(
    [
      ...["id", "program_id", "payout_id", "partner_id", "currency"],
      ...["amount_cents", "commissions", "commissions_cents", "adjustments_cents", "payment_id"],
    ].map((name) => [`payout_lines.${name}`, { where: "state = 'live'" }]),
  ),
  "payout_lines.before_cents": { where: "before_cents > 0" },
  "payouts.cut": { where: "status = 'paid'" },
  "payouts.canceled_number": { to: "1" },
  "events.at": { where: "seq > 1", to: "1" },
  "ledger_writers.number": { to: "1" },
  "payouts.finalized_at": { to: "t.finalized_at + 3600000" },
  "ledger_entries.created_at": { where: "id > (select min(id) from ledger_entries)", to: "1" },
  "ledger_entries.kind": { where: "kind = 'reversed'", to: "'restored'" },
};

/** Checked in sums only: the audit names the program and the day. */
export const inSums = ["clicks.is_bot", "clicks.is_prefetch", "clicks.visitor"];

export const names: Readonly<Record<string, string>> = {
  programs: "program",
  partners: "partner",
  partner_groups: "group",
  group_memberships: "partner",
  coupons: "coupon",
  coupon_codes: "coupon",
  referral_links: "link",
  commission_policies: "policy",
  clicks: "click",
  leads: "lead",
  customers: "customer",
  customer_clicks: "customer",
  sales: "sale",
  refunds: "refund",
  commissions: "commission",
  commission_signals: "commission",
  ledger_entries: "entry",
  pending_moves: "customer",
  audit_entries: "audit_entry",
  notes: "note",
  program_keys: "key",
  ledger_writers: "writer",
  click_event_ids: "event",
  payouts: "payout",
  payout_lines: "line",
  payment_details: "version",
  payout_ranges: "partner",
  adjustments: "adjustment",
  partner_balances: "partner",
};
