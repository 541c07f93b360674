import type { KeyId, ProgramId } from "#domain/ids.ts";
import { hashProgramKey, type KeyGrant, maskProgramKey, mintProgramKey } from "#domain/program-key.ts";
import type { ProgramKeyRow } from "#store/keys.ts";

/** Only the answer contains the key. The database stores its hash and its last four characters. */
export interface NewKey extends KeyGrant {
  readonly id: KeyId;
  readonly apiToken: string;
  readonly apiTokenMasked: string;
}

/**
 * `secret` is 32 bytes in base64url. The same secret creates the same key, so that a repeated call can return it again.
 */
export function newKey(
  { id, programId, secret }: { readonly id: KeyId; readonly programId: ProgramId; readonly secret: string },
  { name, scopes, book }: KeyGrant,
): NewKey {
  const apiToken = mintProgramKey(programId, Buffer.from(secret, "base64url"));
  const apiTokenMasked = maskProgramKey(programId, apiToken.slice(-4));
  return { id, name, scopes, book, apiToken, apiTokenMasked };
}

export const rowOfKey = (
  { id, name, scopes, book, apiToken }: NewKey,
  { programId, originId, createdAt }: Pick<ProgramKeyRow, "programId" | "originId" | "createdAt">,
): ProgramKeyRow => ({
  id,
  programId,
  originId,
  name,
  scopes,
  book,
  createdAt,
  hash: hashProgramKey(apiToken),
  lastFour: apiToken.slice(-4),
  retiresAt: null,
  lastUsedAt: null,
});
