import { sendMails } from "#api/mail.ts";
import { countingMailed, noDrafts } from "#api/mails-to-strangers.ts";
import { detailsMail } from "#api/payment-details.ts";
import { readFromDatabase } from "#api/read-database.ts";
import { partnerRoles } from "#domain/partner-access.ts";
import { notFound } from "#domain/result.ts";
import { runOperation } from "#http/call-ledger.ts";
import { createRoute, endpoint, refusals, refuse, returns } from "#http/endpoint.ts";
import { timestamp, timestampOrNull } from "#http/schema/timestamp.ts";
import * as z from "#http/schema/zod.ts";
import { readEmails } from "#store/accounts/names.ts";
import { findPartnerAccess } from "#store/views/partner-access.ts";
import { actingMember } from "./actor.ts";
import { memberRefusals, memberWriteRefusals, programMember } from "./guards.ts";
import { AccessPath, PartnerPath, ProgramPath } from "./params.ts";

const Access = z
  .object({
    accountId: z.string(),
    email: z.string().nullable().describe("Email address of the account. Null if the account was deleted."),
    role: z.enum(partnerRoles),
    since: z.iso.datetime(),
  })
  .openapi("PartnerAccess");

export const listAccess = endpoint({
  route: createRoute({
    method: "get",
    path: "/programs/{programId}/partners/{partnerId}/access",
    operationId: "listPartnerAccess",
    tags: ["Partners' access"],
    summary: "List accounts with access to a partner",
    description: "Lists accounts with access, and whether an invitation is open.",
    ...programMember("admin"),
    request: { params: PartnerPath },
    responses: {
      ...returns(
        "Accounts, oldest access first",
        z.object({
          data: z.array(Access),
          meta: z.object({
            invitedUntil: z.iso
              .datetime()
              .nullable()
              .describe("Time until which the open invitation's link works. Null if there is none."),
          }),
        }),
      ),
      ...refusals(memberRefusals),
    },
  }),
  handler: async (c) => {
    const { partnerId } = c.req.valid("param");
    const { id: programId } = c.get("program");
    const found = await readFromDatabase(c, "program", (database) =>
      findPartnerAccess(database, { programId, partnerId, at: c.get("call").at }),
    );
    if (!found.ok) return refuse(c, found.refusal);
    const { partner, accounts, invitation } = found.value;
    if (partner === undefined) return refuse(c, notFound("partner"));
    const ids = accounts.map(({ accountId }) => accountId);
    const emails = await readFromDatabase(c, "home", (database) => readEmails(database, ids));
    if (!emails.ok) return refuse(c, emails.refusal);
    const data = accounts.map(({ accountId, role, createdAt }) => ({
      accountId,
      email: emails.value.get(accountId) ?? null,
      role,
      since: timestamp(createdAt),
    }));
    return c.json({ data, meta: { invitedUntil: timestampOrNull(invitation?.expiresAt ?? null) } }, 200);
  },
});

export const endAccess = endpoint({
  route: createRoute({
    method: "delete",
    path: "/programs/{programId}/partners/{partnerId}/access/{accountId}",
    operationId: "endPartnerAccess",
    tags: ["Partners' access"],
    summary: "End an account's access to a partner",
    description: "Takes effect at once: the account's next call is refused.",
    ...programMember("admin"),
    request: { params: AccessPath },
    responses: {
      ...returns("The access has ended", z.object({ data: z.object({ ended: z.literal(true) }) })),
      ...refusals(memberWriteRefusals),
    },
  }),
  handler: async (c) => {
    const { partnerId, accountId } = c.req.valid("param");
    const actor = actingMember(c);
    const written = await detailsMail(c, { ...actor, partnerId }, "payment");
    // If the mail is over a limit, or the member's address is unverified, the access ends without a mail.
    const isLeftOut = !written.ok && ["rate_limited", "email_unverified"].includes(written.refusal.code);
    if (!written.ok && !isLeftOut) return refuse(c, written.refusal);
    const drafts = written.ok ? written.value : noDrafts;
    const [mail] = drafts.mails;
    const end = { ...actor, kind: "end-partner-access", partnerId, accountId, mail } as const;
    const ended = await countingMailed(c, drafts, () => runOperation(c, end));
    if (!ended.ok) return refuse(c, ended.refusal);
    if (mail !== undefined) sendMails(c, "program");
    return c.json({ data: { ended: true as const } }, 200);
  },
});

export const revokePartnerInvitations = endpoint({
  route: createRoute({
    method: "delete",
    path: "/programs/{programId}/partners/invitations",
    operationId: "revokePartnerInvitations",
    tags: ["Partners' access"],
    summary: "Revoke all open invitations of partners",
    description: "All open links stop working. Access that was accepted stays. A repeat changes nothing.",
    ...programMember("admin"),
    request: { params: ProgramPath },
    responses: {
      ...returns("Invitations revoked", z.object({ data: z.object({ revoked: z.literal(true) }) })),
      ...refusals(memberWriteRefusals),
    },
  }),
  handler: async (c) => {
    const revoke = { ...actingMember(c), kind: "revoke-partner-invitations" } as const;
    const revoked = await runOperation(c, revoke);
    return revoked.ok ? c.json({ data: { revoked: true as const } }, 200) : refuse(c, revoked.refusal);
  },
});
