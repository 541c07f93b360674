import type { AccountAction } from "#domain/account-event.ts";

export const accountActionTitles: Readonly<Record<AccountAction, string>> = {
  signed_in: "Signed in",
  signed_in_with_recovery_code: "Signed in with a recovery code",
  sign_in_failed: "Failed sign-in",
  signed_out: "Signed out",
  session_ended: "Ended a session",
  other_sessions_ended: "Ended all other sessions",
  password_changed: "Changed the password",
  password_reset: "Set a new password with a reset link",
  two_factor_turned_on: "Turned on two-factor authentication",
  two_factor_turned_off: "Turned off two-factor authentication",
  recovery_codes_replaced: "Replaced the recovery codes",
  identity_linked: "Linked the account to an identity",
  identity_removed: "Removed the identity",
  two_factor_removed: "Two-factor authentication was removed by the operator",
};
