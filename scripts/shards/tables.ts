/** A condition for the rows of a program, in SQL. `t` is the table's alias, and parameter 1 is the program's id. */
const byProgram = "t.program_id = ?1";
/** A condition for rows that refer to the program's customers, in SQL. */
const byCustomer = "t.customer_id in (select c.id from customers c where c.program_id = ?1)";

/** The condition `byCustomer`, as a check of each row's customer. */
const customerIsOfProgram = "exists (select 1 from customers c where c.id = t.customer_id and c.program_id = ?1)";

export interface BookTable {
  readonly name: string;
  readonly isOfProgram: string;
  /** The condition `isOfProgram`, in the form for reading rows page by page. */
  readonly isWithin: string;
  /** The columns by which pages are read: an index has them after the program's id. Undefined: the primary key. */
  readonly order: readonly string[] | undefined;
}

const byTime = ["is_test", "occurred_at", "id"];
/** Tables that aren't read by their primary key, because each page would then sort all rows of the program. */
const orders: Readonly<Record<string, readonly string[]>> = {
  clicks: byTime,
  leads: byTime,
  sales: byTime,
  refunds: byTime,
  commissions: ["is_test", "status", "id"],
};

const named = (isOfProgram: string, ...names: readonly string[]): BookTable[] =>
  names.map((name) => ({
    name,
    isOfProgram,
    isWithin: isOfProgram === byCustomer ? customerIsOfProgram : isOfProgram,
    order: orders[name],
  }));

const sales = ["t.corrected_sale_id is null", "t.corrected_sale_id is not null"].flatMap((isSo) =>
  named(`${byProgram} and ${isSo}`, "sales"),
);

/**
 * The tables with a program's rows, except `programs` itself. Each table comes after the tables to which it refers.
 * Sales come twice, with corrections after all other sales, because a corrected sale may have a later time than its
 * correction.
 */
export const bookTables: readonly BookTable[] = [
  ...named(
    byProgram,
    "program_keys",
    "notes",
    "erasures",
    "partners",
    "partner_groups",
    "group_memberships",
    "partner_accounts",
    "partner_invitations",
    "payment_details",
    "join_pages",
    "embeds",
    "partner_terms",
    "accepted_terms",
    "applications",
    "referral_links",
    "coupons",
    "coupon_codes",
    "offers",
    "offer_coupons",
    "commission_policies",
    "units",
    "bonuses",
    "audit_entries",
    "clicks",
    "click_event_ids",
    "customers",
  ),
  ...named(byCustomer, "customer_clicks", "pending_moves"),
  ...named(byProgram, "leads"),
  ...sales,
  ...named(
    byProgram,
    "claims",
    "claim_counts",
    "commissions",
    "commission_signals",
    "refunds",
    "payouts",
    "payout_lines",
    "payout_ranges",
    "payout_gaps",
    "live_lines",
    "mails",
    "adjustments",
    "ledger_entries",
    "partner_balances",
    "daily_counts",
    "tier_books",
    "tier_counts",
    "tier_steps",
    "due_bonuses",
    "removed_clicks",
    "program_retention",
    "recent_hours",
    "unknown_codes",
    "verification_runs",
    "reconciliations",
    "events",
    "webhooks",
    "webhook_secrets",
    "webhook_deliveries",
    "erased_identifiers",
  ),
];

/** Tables whose rows belong to people, the service or the database itself, and to no program. */
export const otherTables: readonly string[] = [
  "users",
  "sessions",
  "accounts",
  "verifications",
  "rate_limits",
  "sign_up_tokens",
  "partner_sign_ups",
  "second_factors",
  "recovery_codes",
  "account_events",
  "team_mail_choices",
  "team_mail_stops",
  "team_mail_runs",
  "team_mail_tasks",
  "workspaces",
  "memberships",
  "invitations",
  "workspace_audit_entries",
  "account_partners",
  "join_slugs",
  "program_places",
  "program_moves",
  "foreign_codes",
  "shards",
  "shard_identity",
  "id_ranges",
  "id_floors",
  "ledger_writers",
  "schema_migrations",
];
