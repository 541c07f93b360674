import { createHmac, createSecretKey, type KeyObject } from "node:crypto";
import { maskEmail, normalizeEmail } from "#domain/email.ts";
import { addressDigests } from "#domain/email-digest.ts";
import type { MaskedEmail } from "#operations/operation.ts";

export const digest = (secret: string, ...parts: readonly string[]): string =>
  createHmac("sha256", keyOf(secret)).update(JSON.stringify(parts)).digest("hex");

let cached: { readonly secret: string; readonly key: KeyObject } | undefined;

/** Cached, because importing the secret costs as much as computing a digest. */
function keyOf(secret: string): KeyObject {
  if (cached?.secret !== secret) cached = { secret, key: createSecretKey(secret, "utf8") };
  return cached.key;
}

/**
 * Converts a customer's email address to the form in which the Worker passes it to the Ledger. Null if the text is
 * empty.
 */
export function maskedEmail(secret: string, text: string): MaskedEmail | null {
  const email = normalizeEmail(text);
  return email === "" ? null : { ...addressDigests(secret, email), mask: maskEmail(email) };
}
