import { dayMs } from "#domain/calendar.ts";
import { hashLinkToken } from "#domain/link-token.ts";
import { invitationDays, partnerInvitationLink, partnerInvitationToken, partnerRoles } from "#domain/partner-access.ts";
import { callLedger } from "#http/call-ledger.ts";
import { body, created, createRoute, endpoint, refusals, refuse, withJsonBody } from "#http/endpoint.ts";
import * as fields from "#http/schema/form-fields.ts";
import { readId } from "#http/schema/id.ts";
import { timestamp } from "#http/schema/timestamp.ts";
import * as z from "#http/schema/zod.ts";
import { randomSecret } from "#http/secret.ts";
import { originOf } from "#http/transport.ts";
import { actingMember } from "../actor.ts";
import { inputRefusals, memberWriteRefusals, programMember } from "../guards.ts";
import { PartnerPath } from "../params.ts";

const NewInvitation = z
  .object({
    role: fields
      .oneOf("role", partnerRoles)
      .default("manage")
      .describe("`view`: reads. `manage`: also makes codes and changes payment details."),
  })
  .openapi("NewPartnerInvitation");

const Invitation = z
  .object({
    inviteUrl: z
      .string()
      .describe("Gives access to the first account that accepts it. Shown once: deliver it yourself."),
    expiresAt: z.iso.datetime(),
  })
  .openapi("PartnerInvitation");

export const invitePartner = endpoint({
  route: createRoute({
    method: "post",
    path: "/programs/{programId}/partners/{partnerId}/invitations",
    operationId: "invitePartner",
    tags: ["Partners' access"],
    summary: "Invite a partner to their side",
    description: `The link works once, within ${invitationDays} days, and ends the partner's older one.`,
    ...withJsonBody(programMember("admin")),
    request: { params: PartnerPath, body: body(NewInvitation) },
    responses: {
      ...created("Invitation created", z.object({ data: Invitation })),
      ...refusals([...memberWriteRefusals, ...inputRefusals]),
    },
  }),
  handler: async (c) => {
    const partnerId = readId(c.req.valid("param").partnerId);
    if (partnerId === undefined) return refuse(c, { code: "not_found", what: "partner" });
    const { id: programId } = c.get("program");
    const token = partnerInvitationToken(programId, randomSecret());
    const expiresAt = c.get("call").at + invitationDays * dayMs;
    const { role } = c.req.valid("json");
    const invitations = [{ partnerId, tokenHash: hashLinkToken(token) }] as const;
    const invite = { ...actingMember(c), kind: "invite-partners", role, expiresAt, invitations } as const;
    const invited = await callLedger(c, invite, (ledger) => ledger.run(invite));
    if (!invited.ok) return refuse(c, invited.refusal);
    const inviteUrl = partnerInvitationLink(originOf(c), token);
    return c.json({ data: { inviteUrl, expiresAt: timestamp(expiresAt) } }, 201);
  },
});
