import { createHash } from "node:crypto";

/** SHA-256, lower-case hex. */
export const hashLinkToken = (token: string): string => createHash("sha256").update(token).digest("hex");

// Tokens follow the #, which browsers never send, so they reach no log.

/** `origin` has no trailing slash. */
export const invitationLink = (origin: string, token: string): string => `${origin}/app/#/invitation?token=${token}`;

export const resetLink = (origin: string, token: string): string => `${origin}/app/#/reset-password?token=${token}`;

export const signUpLink = (origin: string, token: string): string => `${origin}/app/#/sign-up?token=${token}`;
