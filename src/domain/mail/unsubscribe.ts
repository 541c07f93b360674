import { createHmac, timingSafeEqual } from "node:crypto";

const signatureOf = (secret: string, userId: string): Buffer =>
  createHmac("sha256", secret)
    .update(JSON.stringify(["unsubscribe", userId]))
    .digest();

/**
 * The token in a member's mail, with which the mails can be stopped without signing in. It never expires, and allows
 * nothing else.
 */
export const unsubscribeToken = (secret: string, userId: string): string =>
  `${Buffer.from(userId).toString("base64url")}.${signatureOf(secret, userId).toString("base64url")}`;

/** Returns the account's id. Undefined if the service hasn't signed the token. */
export function readUnsubscribeToken(secret: string, token: string): string | undefined {
  const [, id, signature] = /^([\w-]{1,200})\.([\w-]{43})$/.exec(token) ?? [];
  if (id === undefined || signature === undefined) return undefined;
  const userId = Buffer.from(id, "base64url").toString();
  return timingSafeEqual(signatureOf(secret, userId), Buffer.from(signature, "base64url")) ? userId : undefined;
}

export const unsubscribeLink = (origin: string, token: string): string => `${origin}/api/mail/unsubscribe/${token}`;

/** Headers for one-click unsubscribing, as in RFC 8058. */
export const unsubscribeHeaders = (link: string): Readonly<Record<string, string>> => ({
  "List-Unsubscribe": `<${link}>`,
  "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
});
