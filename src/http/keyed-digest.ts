import { createHmac, createSecretKey, type KeyObject } from "node:crypto";
import { maskEmail, normalizeEmail } from "../domain/email.ts";
import type { MaskedEmail } from "../operations/operation.ts";

/** A keyed digest, hex: equal for equal parts, and worth nothing to whoever has no secret. */
export const digest = (secret: string, ...parts: readonly string[]): string =>
  createHmac("sha256", keyOf(secret)).update(JSON.stringify(parts)).digest("hex");

let latest: { readonly secret: string; readonly key: KeyObject } | undefined;

/** A deployment has one secret, and to take it in each time costs as much as the digest. */
function keyOf(secret: string): KeyObject {
  if (latest?.secret !== secret) latest = { secret, key: createSecretKey(secret, "utf8") };
  return latest.key;
}

/** What leaves the edge of an e-mail address. */
export function maskedEmail(secret: string, text: string): MaskedEmail | undefined {
  const email = normalizeEmail(text);
  return email === "" ? undefined : { digest: digest(secret, "email", email), mask: maskEmail(email) };
}
