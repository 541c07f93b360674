import { addressLink } from "#api/address-link.ts";
import { sendMails } from "#api/mail.ts";
import { provesAddress } from "#api/mailed-invitation.ts";
import { readFromDatabase } from "#api/read-database.ts";
import { hashLinkToken, type LinkedApp } from "#domain/link-token.ts";
import { programOfInvitation, readInvitationToken } from "#domain/partner-access.ts";
import type { Refusal } from "#domain/refusal.ts";
import { ok, type Result, refused } from "#domain/result.ts";
import { signUpOf } from "#env.ts";
import type { Ctx } from "#http/context.ts";
import { openHashing } from "#http/hashing.ts";
import type { SessionUser } from "#store/accounts/sessions.ts";
import { type Admission, createAccount as create, isStillAdmitted } from "#store/accounts/users.ts";
import { readOpenInvitation } from "../../partner/access/read-invitation.ts";
import { readJoinPage } from "../../partner/join/read-join-page.ts";

interface NewAccount {
  readonly name: string;
  readonly email: string;
  readonly password: string;
  readonly invitation: string | null;
  readonly joinPage: string | null;
  readonly app: LinkedApp;
}

export async function createAccount(
  c: Ctx,
  { name, email: givenEmail, password, app, ...by }: NewAccount,
): Promise<Result<{ readonly user: SessionUser; readonly hash: string }>> {
  const call = c.get("call");
  const email = givenEmail.toLowerCase();
  const admitted = await admit(c, { ...by, email });
  if (!admitted.ok) return admitted;
  const { admission, notAdmitted } = admitted.value;

  const hashing = openHashing(c, "stranger");
  if (!hashing.ok) return hashing;
  const hash = await hashing.value.hash(password);
  if (!hash.ok) return hash;
  const ids = { userId: crypto.randomUUID(), accountId: crypto.randomUUID() };
  const emailVerified = by.invitation !== null && provesAddress(c, by.invitation, email);
  const link = emailVerified ? undefined : await addressLink(c, email, app);
  const account = { ...ids, name, email, passwordHash: hash.value, emailVerified, link };
  const created = await readFromDatabase(c, "home", (database) => create(database, account, admission, call));
  if (!created.ok) return created;
  if (created.value === "not_admissible") return refused(notAdmitted);
  if (created.value === "account_exists") return refused({ code: "account_exists" });
  if (link !== undefined) sendMails(c, "home");
  const at = new Date(call.at);
  const user = {
    userId: ids.userId,
    name,
    email,
    emailVerified,
    image: null,
    twoFactor: false,
    createdAt: at,
    updatedAt: at,
  };
  return ok({ user, hash: hash.value });
}

interface Admitted {
  /** Undefined: signing up uses nothing. */
  readonly admission: Admission | undefined;
  readonly notAdmitted: Refusal;
}

type Applicant = Pick<NewAccount, "email" | "invitation" | "joinPage">;

/** Before the password is hashed, which takes long. */
async function admit(c: Ctx, { email, invitation: given, joinPage }: Applicant): Promise<Result<Admitted>> {
  const invitation = given === null ? null : readInvitationToken(given).token;
  const isByInvitation = signUpOf(c.env) === "invited";
  const notAdmitted: Refusal = { code: isByInvitation ? "sign_up_by_invitation" : "invitation_invalid" };
  const freely = { admission: undefined, notAdmitted };
  if (invitation === null) {
    const page = isByInvitation ? await readJoinPage(c, joinPage ?? "") : undefined;
    return page === undefined || page.ok ? ok(freely) : notOpen(page, notAdmitted);
  }
  const tokenHash = hashLinkToken(invitation);
  if (programOfInvitation(invitation) === undefined) {
    return stillAdmitted(c, { admission: { tokenHash, membershipId: crypto.randomUUID() }, notAdmitted }, email);
  }
  const open = await readOpenInvitation(c, invitation);
  if (!open.ok) return notOpen(open, notAdmitted);
  // The account accepts the invitation once it is signed in.
  if (!isByInvitation) return ok(freely);
  const once = { admission: { partnerTokenHash: tokenHash }, notAdmitted: { code: "invitation_invalid" } } as const;
  return stillAdmitted(c, once, email);
}

const notOpen = ({ refusal }: { readonly refusal: Refusal }, notAdmitted: Refusal): Result<never> =>
  refused(["invitation_invalid", "not_found"].includes(refusal.code) ? notAdmitted : refusal);

async function stillAdmitted(c: Ctx, admitted: Admitted, email: string): Promise<Result<Admitted>> {
  const isAdmitted = await readFromDatabase(c, "home", (database) =>
    isStillAdmitted(database, admitted.admission, email, c.get("call").at),
  );
  if (!isAdmitted.ok) return isAdmitted;
  return isAdmitted.value ? ok(admitted) : refused(admitted.notAdmitted);
}
