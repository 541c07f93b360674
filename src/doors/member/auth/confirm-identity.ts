import { readFromDatabase } from "#api/read-database.ts";
import type { Refusal } from "#domain/refusal.ts";
import { ok, type Result, refused } from "#domain/result.ts";
import type { Ctx } from "#http/context.ts";
import { type Hashing, openHashing } from "#http/hashing.ts";
import { type Credential, findCredential } from "#store/accounts/passwords.ts";
import { countConfirmation, releaseConfirmation } from "./limits.ts";
import { useCode, wrongCode, wrongPassword } from "./second-factor.ts";

export interface Proof {
  readonly password?: string | undefined;
  readonly code?: string | undefined;
}

/** Checks what the signed-in user gives to show who they are. Counts the attempt before anything is hashed. */
export async function confirmIdentity(
  c: Ctx,
  userId: string,
  proofOf: (credential: Credential) => Result<Proof>,
): Promise<Result<Credential>> {
  const found = await readFromDatabase(c, "home", (database) => findCredential(database, userId));
  if (!found.ok) return found;
  if (found.value === undefined) return refused(wrongPassword);
  const credential = found.value;
  const proof = proofOf(credential);
  if (!proof.ok) return proof;
  const refusal = await refusalOfProof(c, credential, proof.value);
  if (refusal !== undefined) return refused(refusal);
  releaseConfirmation(c, userId);
  return ok(credential);
}

async function refusalOfProof(
  c: Ctx,
  { userId, email, hash }: Credential,
  { password, code }: Proof,
): Promise<Refusal | undefined> {
  const overLimit = await countConfirmation(c, userId);
  if (overLimit !== undefined) return overLimit;
  if (password !== undefined) {
    const verified = await verifyCounted(c, userId, { hash, password, wrong: wrongPassword });
    if (!verified.ok) return verified.refusal;
  }
  if (code === undefined) return undefined;
  const used = await useCode(c, { userId, email }, code);
  if (!used.ok) return used.refusal;
  return used.value === undefined ? wrongCode : undefined;
}

/**
 * For an attempt that is counted already, so that nobody takes more of the hashes that all share than their own count
 * allows. If nothing could be hashed, it isn't counted after all.
 */
export async function verifyCounted(
  c: Ctx,
  userId: string,
  { hash, password, wrong }: { readonly hash: string | null; readonly password: string; readonly wrong: Refusal },
): Promise<Result<Hashing>> {
  const hashing = openHashing(c, "known");
  const verified = hashing.ok ? await hashing.value.verify(hash ?? undefined, password) : hashing;
  if (!verified.ok) releaseConfirmation(c, userId);
  if (!hashing.ok) return hashing;
  if (!verified.ok) return verified;
  return verified.value === true ? hashing : refused(wrong);
}
