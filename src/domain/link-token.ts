import { createHash } from "node:crypto";

/** What is stored of the token of an invitation, a first sign-up or a password reset: SHA-256, lower-case hex. */
export const hashLinkToken = (token: string): string => createHash("sha256").update(token).digest("hex");

// Tokens follow the #, which browsers never send, so they reach no log.

/** `origin` has no slash at its end. */
export const invitationLink = (origin: string, token: string): string => `${origin}/app/#/invitation?token=${token}`;

export const resetLink = (origin: string, token: string): string => `${origin}/app/#/reset-password?token=${token}`;

export const signUpLink = (origin: string, token: string): string => `${origin}/app/#/sign-up?token=${token}`;
