/** All that a migrated database has, by name. */
export const schema = {
  table: `account_events accounts adjustments audit_entries click_event_ids clicks commission_policies commissions
    customer_clicks customers daily_counts invitations leads ledger_entries ledger_writers memberships notes
    partner_balances partners payout_lines payout_ranges payouts pending_moves program_keys programs rate_limits
    recent_hours recovery_codes referral_links refunds sales schema_migrations second_factors sessions sign_up_tokens
    users verification_runs verifications workspace_audit_entries workspaces`,
  index: `account_events_operation account_events_user accounts_user adjustments_reference audit_entries_operation
    audit_entries_program audit_entries_subject clicks_click_id clicks_recent clicks_visitor
    commission_policies_current commission_policies_owner commission_policies_version commissions_maturing
    commissions_payable commissions_sale commissions_status commissions_unconfirmed customer_clicks_browser
    customer_clicks_click customer_clicks_keyed customer_clicks_nameless customers_key invitations_token
    invitations_workspace leads_customer leads_recent leads_unsettled ledger_entries_adjusted
    ledger_entries_adjustments ledger_entries_commission ledger_entries_earned ledger_entries_moved
    ledger_entries_paid ledger_entries_partner ledger_entries_refunded ledger_entries_rejected memberships_place
    partners_program payout_lines_of_partner payout_lines_partner payout_lines_state payout_ranges_payout
    payouts_draft payouts_reference program_keys_hash program_keys_program rate_limits_last_request
    referral_links_code referral_links_partner refunds_recent refunds_sale sales_correction sales_customer
    sales_recent sales_subscription sales_transaction sessions_token sessions_user users_email
    verifications_identifier workspace_audit_entries_operation workspace_audit_entries_workspace`,
  trigger: `adjustments_no_delete adjustments_no_replace adjustments_no_update audit_entries_no_delete
    audit_entries_no_replace audit_entries_no_update clicks_counted clicks_of_the_hour clicks_once clicks_uncounted
    commission_policies_latest commissions_attribution_stays commissions_balanced commissions_born_later
    commissions_held commissions_numbered leads_counted leads_moved leads_of_the_hour leads_of_the_hour_attributed
    leads_of_the_hour_lost ledger_entries_balanced ledger_entries_counted ledger_entries_no_delete
    ledger_entries_no_replace ledger_entries_no_update ledger_entries_of_payout ledger_entries_of_person
    ledger_entries_settled ledger_writers_fence ledger_writers_first ledger_writers_stay notes_erased_only
    notes_no_delete notes_no_replace payout_lines_final payout_lines_of_draft payout_lines_stay payout_ranges_apart
    payout_ranges_no_update payout_ranges_stay payouts_balanced payouts_covered payouts_in_order payouts_stay
    payouts_terms_stay refunds_counted refunds_recounted sales_attribution_stays sales_counted sales_moved
    sales_of_the_hour sales_of_the_hour_attributed workspace_audit_entries_no_delete
    workspace_audit_entries_no_replace workspace_audit_entries_no_update`,
};

/** Changes of a row that a constraint forbids. */
export const checks: readonly [constraint: string, violation: string][] = [
  ["account_events_action", "action = 'guessed'"],
  ["commission_policies_type", "type = 'gift'"],
  ["commission_policies_type", "rate_bps = null"],
  ["commission_policies_type", "rate_bps = 10001"],
  ["commission_policies_type", "type = 'flat', amount_cents = 1"],
  ["commission_policies_scope", "scope = 'recurring'"],
  ["commission_policies_scope", "scope = 'sometimes'"],
  ["commission_policies_limits", "max_commission_cents = 1"],
  ["commission_policies_hold", "hold_days = 366"],
  ["commissions_status", "status = 'lost'"],
  ["commissions_void", "status = 'void'"],
  ["commissions_void", "reason = 'no_click'"],
  ["commissions_approval", "approved_at = 1"],
  ["commissions_due", "hold_until = null"],
  ["commissions_initial", "initial_cents = -1"],
  ["commissions_amount", "amount_cents = -1"],
  ["commissions_number", "payable_number = 1"],
  ["commissions_account", "status = 'approved'"],
  ["commissions_reversed", "reversed_number = 1"],
  ["customers_attribution", "click_id = null"],
  ["customers_reason", "reason = 'no_click'"],
  ["customers_bound", "bound_at = null"],
  ["customers_locked", "partner_id = null, click_id = null, reason = 'no_click'"],
  ["invitations_role", "role = 'god'"],
  ["leads_settled", "unsettled_key = 'x'"],
  ["leads_provisional", "is_provisional = 1"],
  ["memberships_role", "role = 'god'"],
  ["memberships_status", "status = 'left'"],
  ["partners_status", "status = 'gone'"],
  ["programs_currency", "currency = 'EURO'"],
  ["programs_lead_auth", "lead_auth = 'none'"],
  ["programs_attribution_model", "attribution_model = 'linear'"],
  ["programs_attribution_window", "attribution_window_days = 0"],
  ["programs_window_until", "window_until = 'never'"],
  ["programs_cookie_window", "cookie_window_days = 366"],
  ["programs_minimum_payout", "minimum_payout_cents = 0"],
  ["programs_payout_approval", "payout_approval = 'nobody'"],
  ["programs_status", "status = 'gone'"],
  ["recent_hours_slot", "slot = slot + 1"],
  ["referral_links_code_key", "code_key = upper(code)"],
  ["referral_links_status", "status = 'gone'"],
  ["refunds_asked", "asked = 'nothing'"],
  ["refunds_asked", "asked = 'cancel', refund_id = null, told_cents = null"],
  ["refunds_told", "told_cents = -1"],
  ["refunds_told", "asked = 'rest'"],
  ["refunds_total", "refunded_total_cents = -1"],
  ["refunds_counted", "counted_cents = -1"],
  ["refunds_status", "status = 'gone'"],
  ["sales_amount", "amount_cents = 100000000001"],
  ["sales_refunded", "refunded_cents = amount_cents + 1"],
  ["sales_corrected", "correction = 1"],
  ["sales_attributed", "reason = 'no_click'"],
  ["sessions_no_traces", "ip_address = '192.0.2.1'"],
  ["sessions_no_traces", "user_agent = 'Firefox'"],
  ["verification_runs_hour", "runs_in_hour = -1"],
];
