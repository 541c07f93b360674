import { createHmac } from "node:crypto";
import { normalizeEmail, similarEmail } from "./email.ts";
import type { ProgramId } from "./ids.ts";

/** Digest of an address. The Ledger receives this instead of the address. */
export const emailDigest = (secret: string, email: string): string => keyed(secret, ["email", normalizeEmail(email)]);

/** Equal for similar addresses. Null if the text isn't an address. */
function similarDigest(secret: string, email: string): string | null {
  const similar = similarEmail(email);
  return similar === undefined ? null : keyed(secret, ["similar-email", similar]);
}

const keyed = (secret: string, parts: readonly string[]): string =>
  createHmac("sha256", secret).update(JSON.stringify(parts)).digest("hex");

/** The stored form of a digest. It differs between programs, so an address can't be compared across programs. */
export const emailHash = (secret: string, programId: ProgramId, digest: string): string =>
  createHmac("sha256", secret).update(`${programId}|${digest}`).digest("base64url");

/** Digests of an address as sent to the Ledger. */
export interface AddressDigests {
  readonly digest: string;
  readonly similar: string | null;
}
export interface AddressHashes {
  readonly emailHash: string;
  /** Equal for similar addresses. Null if the text isn't an address, or was stored before this digest existed. */
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
