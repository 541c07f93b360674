import { createHmac } from "node:crypto";
import { maskEmail, normalizeEmail } from "../domain/email.ts";
import type { MaskedEmail } from "../operations/operation.ts";

/** A keyed digest, hex: equal for equal parts, and worth nothing to whoever has no secret. */
export const digest = (secret: string, ...parts: readonly string[]): string =>
  createHmac("sha256", secret).update(JSON.stringify(parts)).digest("hex");

/** What leaves the edge of an e-mail address. */
export function maskedEmail(secret: string, text: string): MaskedEmail | undefined {
  const email = normalizeEmail(text);
  return email === "" ? undefined : { digest: digest(secret, "email", email), mask: maskEmail(email) };
}
