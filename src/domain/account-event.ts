export const accountActions = [
  "signed_in",
  "signed_in_with_recovery_code",
  "sign_in_failed",
  "signed_out",
  "session_ended",
  "other_sessions_ended",
  "password_changed",
  "password_reset",
  "two_factor_turned_on",
  "two_factor_turned_off",
  "two_factor_removed",
  "recovery_codes_replaced",
  "identity_linked",
  "identity_removed",
] as const;
export type AccountAction = (typeof accountActions)[number];

/**
 * The number of newest events that are kept for each account. Failed sign-ins have a separate limit, because anyone can
 * cause them.
 */
export const keptAccountEvents = { failed: 50, others: 200 } as const;
