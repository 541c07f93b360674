import { provesAddress } from "#api/mailed-invitation.ts";
import { readFromDatabase } from "#api/read-database.ts";
import { addressDigests } from "#domain/email-digest.ts";
import { hashLinkToken } from "#domain/link-token.ts";
import { partnerRoles, readInvitationToken } from "#domain/partner-access.ts";
import { hashSecretOf } from "#env.ts";
import { runOperation } from "#http/call-ledger.ts";
import type { Ctx } from "#http/context.ts";
import { body, createRoute, endpoint, returns, refusals, refuse, withJsonBody } from "#http/endpoint.ts";
import * as fields from "#http/schema/form-fields.ts";
import { id } from "#http/schema/integers.ts";
import * as z from "#http/schema/zod.ts";
import { type AccountPartner, enterAccountPartners, forgetAccountPartners } from "#store/accounts/account-partners.ts";
import { markVerified } from "#store/accounts/address-verifications.ts";
import { findProgramMembers } from "#store/accounts/program-members.ts";
import { findAccount } from "#store/accounts/users.ts";
import { findPartnerAccess } from "#store/views/partner-access.ts";
import { actorOf } from "../../member/actor.ts";
import { inputRefusals, sessionWriteRefusals, signedIn } from "../../member/guards.ts";
import { readInvitation } from "./read-invitation.ts";

const Acceptance = z
  .object({
    token: fields.nonBlank("token"),
    termsVersion: fields
      .optional(fields.integer("termsVersion", 1, 1_000_000))
      .describe("Version of the terms that the person has read and accepts, where the program has any."),
  })
  .openapi("PartnerAcceptance");

const Accepted = z.object({ programId: id(), partnerId: id(), role: z.enum(partnerRoles) }).openapi("PartnerAccepted");

export const acceptInvitation = endpoint({
  route: createRoute({
    method: "post",
    path: "/invitations/accept",
    operationId: "acceptPartnerInvitation",
    tags: ["Access"],
    summary: "Accept an invitation",
    description: "Gives your account access to the partner. A repeat by the same account changes nothing.",
    ...withJsonBody(signedIn()),
    request: { body: body(Acceptance) },
    responses: {
      ...returns("Your access", z.object({ data: Accepted })),
      ...refusals([
        ...sessionWriteRefusals,
        ...inputRefusals,
        "member_of_workspace",
        "invitation_invalid",
        "terms_changed",
        "cap_reached",
      ]),
    },
  }),
  handler: async (c) => {
    const { token, termsVersion } = c.req.valid("json");
    const found = await readInvitation(c, token);
    if (!found.ok) return refuse(c, found.refusal);
    const { id: programId } = found.value.program;
    const { partnerId, invitedBy } = found.value.invitation;
    const { actorId: accountId, ...call } = actorOf(c);
    const { at: enteredAt } = c.get("call");
    const enter = () =>
      readFromDatabase(c, "home", (database) =>
        enterAccountPartners(database, [{ accountId, programId, partnerId, enteredAt }]),
      );
    const [entered, account, members] = await Promise.all([
      enter(),
      readFromDatabase(c, "home", (database) => findAccount(database, accountId)),
      readFromDatabase(c, "home", (database) =>
        findProgramMembers(database, programId, [accountId, ...(invitedBy === null ? [] : [invitedBy])]),
      ),
    ]);
    if (!members.ok) return refuse(c, members.refusal);
    if (!entered.ok) return refuse(c, entered.refusal);
    if (!account.ok) return refuse(c, account.refusal);
    if (account.value === undefined) return refuse(c, { code: "no_session" });
    const tokenHash = hashLinkToken(readInvitationToken(token).token);
    const accept = {
      kind: "accept-partner-invitation",
      ...{ ...call, actorId: accountId, programId, tokenHash, termsVersion },
      address: addressDigests(hashSecretOf(c.env), account.value.email),
      isMember: members.value.has(accountId),
      isInviterGone: invitedBy !== null && members.value.get(invitedBy) !== "active",
    } as const;
    const accepted = await runOperation(c, accept);
    if (!accepted.ok) {
      if (accepted.refusal.code !== "unavailable") await leave(c, { accountId, programId, partnerId, enteredAt });
      return refuse(c, accepted.refusal);
    }
    const again = await enter();
    await verifyIfMailed(c, accountId, token);
    return again.ok ? c.json({ data: { programId, ...accepted.answer } }, 200) : refuse(c, again.refusal);
  },
});

/** If it fails, the account can still have a link mailed. */
async function verifyIfMailed(c: Ctx, accountId: string, token: string): Promise<void> {
  if (readInvitationToken(token).proof === undefined) return;
  await readFromDatabase(c, "home", async (database) => {
    const account = await findAccount(database, accountId);
    const isProven = account !== undefined && !account.emailVerified && provesAddress(c, token, account.email);
    if (isProven) await markVerified(database, accountId, c.get("call").at);
  });
}

/** Of a refused acceptance, whose account may have access all the same. The audit takes what stays for a lost access. */
async function leave(c: Ctx, entry: AccountPartner): Promise<void> {
  const { programId, partnerId, accountId } = entry;
  const access = await readFromDatabase(c, "program", (database) =>
    findPartnerAccess(database, { programId, partnerId, at: entry.enteredAt }),
  );
  if (!access.ok || access.value.accounts.some((each) => each.accountId === accountId)) return;
  await readFromDatabase(c, "home", (database) => forgetAccountPartners(database, [entry]));
}
