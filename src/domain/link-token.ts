import { createHash } from "node:crypto";

/** SHA-256, lower-case hex. */
export const hashLinkToken = (token: string): string => createHash("sha256").update(token).digest("hex");

// Tokens follow the #, which browsers never send, so they reach no log.

/** `origin` has no trailing slash. */
export const invitationLink = (origin: string, token: string): string => `${origin}/app/#/invitation?token=${token}`;

/** `app`: where the account's owner signs in, the dashboard or the partners' pages. */
export const resetLink = (origin: string, token: string, app: ResetApp = "app"): string =>
  `${origin}/${app}/#/reset-password?token=${token}`;

export const resetApps = ["app", "partner"] as const;
type ResetApp = (typeof resetApps)[number];

export const signUpLink = (origin: string, token: string): string => `${origin}/app/#/sign-up?token=${token}`;
