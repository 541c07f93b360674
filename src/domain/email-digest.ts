import { createHmac } from "node:crypto";
import { normalizeEmail, similarEmail } from "./email.ts";
import type { ProgramId } from "./ids.ts";

/** The form in which an address reaches the Ledger. */
export const emailDigest = (secret: string, email: string): string => keyed(secret, ["email", normalizeEmail(email)]);

/** Equal for similar addresses. Null for a text that is no address. */
export function similarDigest(secret: string, email: string): string | null {
  const similar = similarEmail(email);
  return similar === undefined ? null : keyed(secret, ["similar-email", similar]);
}

const keyed = (secret: string, parts: readonly string[]): string =>
  createHmac("sha256", secret).update(JSON.stringify(parts)).digest("hex");

/** As stored: equal for one address only within one program. */
export const emailHash = (secret: string, programId: ProgramId, digest: string): string =>
  createHmac("sha256", secret).update(`${programId}|${digest}`).digest("base64url");

/** Digests of an address, sent to the Ledger and stored. */
export interface AddressDigests {
  readonly digest: string;
  readonly similar: string | null;
}
export interface AddressHashes {
  readonly emailHash: string;
  /** Equal for similar addresses. Null also if the address is older than this digest. */
  readonly similarHash: string | null;
}

export const addressDigests = (secret: string, email: string): AddressDigests => ({
  digest: emailDigest(secret, email),
  similar: similarDigest(secret, email),
});

export const addressHashes = (
  secret: string,
  programId: ProgramId,
  { digest, similar }: AddressDigests,
): AddressHashes => ({
  emailHash: emailHash(secret, programId, digest),
  similarHash: similar == null ? null : emailHash(secret, programId, similar),
});
