import { ok, type Result, refused } from "#domain/result.ts";
import type { Ctx } from "#http/context.ts";
import { confirmIdentity } from "../../session/auth/confirm-identity.ts";

/** Counts the attempt. */
export async function confirmPassword(c: Ctx, accountId: string, password: string): Promise<Result<void>> {
  const confirmed = await confirmIdentity(c, accountId, () => ok({ password }));
  if (confirmed.ok) return ok(undefined);
  const isWrong = confirmed.refusal.code === "invalid_input";
  return refused(isWrong ? { code: "wrong_password" } : confirmed.refusal);
}
