import { hashLinkToken } from "#domain/link-token.ts";
import type { Refusal } from "#domain/refusal.ts";
import { ok, type Result, refused } from "#domain/result.ts";
import { signUpOf } from "#env.ts";
import type { Ctx } from "#http/context.ts";
import { openHashing } from "#http/hashing.ts";
import type { SessionUser } from "#store/accounts/sessions.ts";
import { createAccount as create, isAdmissible } from "#store/accounts/users.ts";
import { readFromDatabase } from "../../read-database.ts";

interface NewAccount {
  readonly name: string;
  readonly email: string;
  readonly password: string;
  readonly invitation: string | null;
}

export async function createAccount(
  c: Ctx,
  { name, email: givenEmail, password, invitation }: NewAccount,
): Promise<Result<{ readonly user: SessionUser; readonly hash: string }>> {
  const isByInvitation = signUpOf(c.env) === "invited";
  const notAdmitted: Refusal = { code: isByInvitation ? "sign_up_by_invitation" : "invitation_invalid" };
  if (invitation === null && isByInvitation) return refused(notAdmitted);

  const call = c.get("call");
  const admission =
    invitation === null ? undefined : { tokenHash: hashLinkToken(invitation), membershipId: crypto.randomUUID() };
  // Checked first because hashing a password takes long.
  if (admission !== undefined) {
    const isAdmitted = await readFromDatabase(c, "home", (database) =>
      isAdmissible(database, admission.tokenHash, call.at),
    );
    if (!isAdmitted.ok) return isAdmitted;
    if (!isAdmitted.value) return refused(notAdmitted);
  }

  const hashing = openHashing(c, "stranger");
  if (!hashing.ok) return hashing;
  const hash = await hashing.value.hash(password);
  if (!hash.ok) return hash;
  const email = givenEmail.toLowerCase();
  const ids = { userId: crypto.randomUUID(), accountId: crypto.randomUUID() };
  const account = { ...ids, name, email, passwordHash: hash.value };
  const created = await readFromDatabase(c, "home", (database) => create(database, account, admission, call));
  if (!created.ok) return created;
  if (created.value === "not_admissible") return refused(notAdmitted);
  if (created.value === "account_exists") return refused({ code: "account_exists" });
  const at = new Date(call.at);
  const user = {
    userId: ids.userId,
    name,
    email,
    emailVerified: false,
    image: null,
    twoFactor: false,
    createdAt: at,
    updatedAt: at,
  };
  return ok({ user, hash: hash.value });
}
