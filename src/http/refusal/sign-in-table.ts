import type { RefusalCode } from "#domain/refusal.ts";
import { type Entries, ownFields } from "./table.ts";

/** Refusals of calls about accounts, signing in, and confirming an identity. */
export const ofSignIn = {
  no_session: { status: 401, message: "Sign in first.", title: "not signed in" },
  sign_in_failed: { status: 401, message: "Invalid email or password" },
  sign_in_expired: { status: 401, message: "Your sign-in took too long. Sign in again.", details: ownFields },
  two_factor_failed: { status: 401, message: "Invalid code", details: ownFields },
  two_factor_required: {
    status: 403,
    message: "This workspace requires two-factor authentication. Turn it on for your account.",
    details: ownFields,
  },
  two_factor_on: { status: 409, message: "Two-factor authentication is already on", details: ownFields },
  two_factor_off: { status: 409, message: "Two-factor authentication is off", details: ownFields },
  two_factor_needed: {
    status: 409,
    message: "One of your workspaces requires two-factor authentication",
    details: ownFields,
  },
  reauthenticate: { status: 403, message: "Confirm who you are first", details: ownFields },
  oidc_off: { status: 404, message: "This service has no identity provider", details: ownFields },
  oidc_failed: {
    status: 403,
    message: "The sign-in at the identity provider failed, expired or was already completed. Start again.",
    details: ownFields,
  },
  oidc_unavailable: {
    status: 503,
    message: "The identity provider can't be reached. Try again shortly.",
    details: ({ code }) => ({ code }),
  },
  oidc_no_email: {
    status: 403,
    message: "The identity provider sends no email address. Ask its administrator to release it.",
    details: ownFields,
  },
  oidc_required: {
    status: 403,
    message: "Members sign in at the identity provider. Sign out, then sign in there.",
    details: ownFields,
  },
  oidc_not_fresh: {
    status: 403,
    message:
      "The identity provider doesn't confirm that it has just checked who you are. Turn on two-factor authentication to confirm with a code.",
    details: ownFields,
  },
  oidc_other_identity: {
    status: 403,
    message: "You signed in at the identity provider as someone else. Sign in there with your own account.",
    details: ownFields,
  },
  not_linked: {
    status: 409,
    message:
      "An account with your email address exists. Sign in with its password, and link your identity on the Account page.",
    details: ownFields,
  },
  identity_taken: { status: 409, message: "Another account is linked to this identity", details: ownFields },
  already_linked: {
    status: 409,
    message: "Your account is linked to another identity. Remove that one first.",
    details: ownFields,
  },
  last_sign_in: {
    status: 409,
    message: "Your account has no password, so you couldn't sign in without your identity",
    details: ownFields,
  },
  no_password: {
    status: 409,
    message: "Your account has no password: you sign in at the identity provider",
    details: ownFields,
  },
  code_required: {
    status: 403,
    message: "Confirm with a code of your authenticator app, or with a recovery code",
    details: ownFields,
  },
} satisfies Partial<Entries<RefusalCode>>;
