import { createHmac, timingSafeEqual } from "node:crypto";

const macOf = (secret: string, expiresAt: string): Buffer =>
  createHmac("sha256", secret).update(`operator until ${expiresAt}`).digest();

/** Proves that the bearer holds the secret. `op_<expiry in ms, base 36>_<MAC, base64url>`. */
export function mintOperatorToken(secret: string, expiresAt: number): string {
  const until = expiresAt.toString(36);
  return `op_${until}_${macOf(secret, until).toString("base64url")}`;
}

export function isOperatorToken(secret: string, token: string, at: number): boolean {
  const [, until, mac] = /^op_([0-9a-z]{1,11})_([\w-]{43})$/.exec(token) ?? [];
  if (until === undefined || mac === undefined || Number.parseInt(until, 36) <= at) return false;
  return timingSafeEqual(macOf(secret, until), Buffer.from(mac, "base64url"));
}
