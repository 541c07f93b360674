import { isCallerId, isPlaceholderId } from "./caller-id.ts";
import { isEmail } from "./email-form.ts";
import type { OidcSettings, ProvedIdentity } from "./oidc.ts";
import { isVisible } from "./visible-text.ts";

// Separate from `oidc.ts`, so that only sign-ins at the provider load it.

export type Claims = Readonly<Record<string, unknown>>;

const textOf = (value: unknown, max: number): string | undefined =>
  typeof value === "string" && isVisible(value) && value.length <= max && !/\p{Cc}/u.test(value)
    ? value.trim()
    : undefined;

const maxText = 255;

/**
 * False for a subject that may not tell people apart: texts without a value, such as `null`, and texts that the
 * database would change or the standard doesn't allow.
 */
export const isSubject = (subject: string): boolean => isCallerId(subject, maxText) && !isPlaceholderId(subject);

/**
 * Values of the claim `email_verified` that don't say that the address is unverified. Some providers send a text, or no
 * such claim.
 */
const notDenied: readonly unknown[] = [true, "true", null, undefined];

export function identityOf(
  subject: string,
  claims: Claims,
  { issuer, trustsEmail, trustsMfa }: Pick<OidcSettings, "issuer" | "trustsEmail" | "trustsMfa">,
): ProvedIdentity {
  const { email: given, email_verified: verified, name, amr, auth_time: authTime } = claims;
  const text = textOf(given, maxText) ?? "";
  // Checked before conversion to lower case: the Kelvin sign becomes `k`, so the result may be another person's
  // address.
  const email = isEmail(text) ? text.toLowerCase() : undefined;
  return {
    issuer,
    subject,
    email,
    isEmailVerified: email !== undefined && (trustsEmail ? notDenied.includes(verified) : verified === true),
    name: textOf(name, maxText),
    // The standard allows fractions of a second.
    checkedAt: typeof authTime === "number" && authTime > 0 ? Math.floor(authTime * 1_000) : undefined,
    hasSecondFactor: trustsMfa || (Array.isArray(amr) && amr.includes("mfa")),
  };
}
