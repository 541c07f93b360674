import { createHash } from "node:crypto";

/** SHA-256 in lower-case hex. */
export const hashLinkToken = (token: string): string => createHash("sha256").update(token).digest("hex");

// Tokens are in the fragment (after `#`), which browsers don't send. They therefore never appear in a log.

/** `origin` has no trailing slash. */
export const invitationLink = (origin: string, token: string): string => `${origin}/app/#/invitation?token=${token}`;

/** `app` selects where the account signs in: the dashboard or the partners' app. */
export const resetLink = (origin: string, token: string, app: LinkedApp = "app"): string =>
  `${origin}/${app}/#/reset-password?token=${token}`;

export const verificationLink = (origin: string, token: string, app: LinkedApp): string =>
  `${origin}/${app}/#/verify-email?token=${token}`;

export const linkedApps = ["app", "partner"] as const;
export type LinkedApp = (typeof linkedApps)[number];

export const signUpLink = (origin: string, token: string): string => `${origin}/app/#/sign-up?token=${token}`;
