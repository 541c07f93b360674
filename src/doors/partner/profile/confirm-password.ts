import { ok, type Result, refused } from "#domain/result.ts";
import type { Ctx } from "#http/context.ts";
import { confirmIdentity } from "../../member/auth/confirm-identity.ts";
import { proofWithPassword } from "../../member/auth/own-proof.ts";
import { wrongPassword } from "../../member/auth/second-factor.ts";

/** Also asks for a code, where the account has a second factor. Counts the attempt. */
export async function confirmPassword(
  c: Ctx,
  accountId: string,
  given: { readonly password: string; readonly code: string | null },
): Promise<Result<void>> {
  const confirmed = await confirmIdentity(c, accountId, ({ twoFactor }) => proofWithPassword(twoFactor, given));
  if (confirmed.ok) return ok(undefined);
  return refused(confirmed.refusal === wrongPassword ? { code: "wrong_password" } : confirmed.refusal);
}
