import { createHmac, timingSafeEqual } from "node:crypto";
import { base32 } from "./base32.ts";

// Time-based one-time passwords (RFC 6238) in the form that authenticator apps expect: SHA-1, six digits, steps of 30
// seconds.

/** The length of the hash, as RFC 4226 recommends. */
export const totpSecretBytes = 20;

const stepMs = 30_000;
const digits = 6;
/** The codes before and after the current one are accepted too, because clocks of phones differ. */
const toleratedSteps = [-1, 0, 1] as const;

export const totpStepAt = (at: number): number => Math.floor(at / stepMs);

export function totpCode(secret: Uint8Array, step: number): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const mac = createHmac("sha1", secret).update(counter).digest();
  const offset = mac.readUInt8(mac.length - 1) % 16;
  const number = mac.readUInt32BE(offset) % 2 ** 31;
  return String(number % 10 ** digits).padStart(digits, "0");
}

/**
 * The step of a valid code. Undefined if the code is wrong, or if its step isn't after `lastStep`, the last one used.
 */
export function matchingStep(secret: Uint8Array, code: string, at: number, lastStep: number): number | undefined {
  const given = Buffer.from(code);
  const steps = toleratedSteps.map((offset) => totpStepAt(at) + offset).filter((step) => step > Math.max(lastStep, -1));
  return steps.find((step) => {
    const expected = Buffer.from(totpCode(secret, step));
    return given.length === expected.length && timingSafeEqual(given, expected);
  });
}

/** The URI for authenticator apps: https://github.com/google/google-authenticator/wiki/Key-Uri-Format */
export function totpUri(
  secret: Uint8Array,
  { issuer, account }: { readonly issuer: string; readonly account: string },
) {
  const [name, label] = [encodeURIComponent(issuer), encodeURIComponent(account)];
  return `otpauth://totp/${name}:${label}?secret=${base32(secret)}&issuer=${name}&algorithm=SHA1&digits=${digits}&period=${stepMs / 1000}`;
}
