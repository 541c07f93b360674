import { sendMails } from "#api/mail.ts";
import { dayMs } from "#domain/calendar.ts";
import { maskAddress } from "#domain/email.ts";
import { hashLinkToken } from "#domain/link-token.ts";
import { invitationDays, partnerInvitationLink, partnerInvitationToken, partnerRoles } from "#domain/partner-access.ts";
import { ok } from "#domain/result.ts";
import { runOperation } from "#http/call-ledger.ts";
import { body, created, createRoute, endpoint, refusals, refuse, withJsonBody } from "#http/endpoint.ts";
import * as fields from "#http/schema/form-fields.ts";
import { readId } from "#http/schema/id.ts";
import { timestamp } from "#http/schema/timestamp.ts";
import * as z from "#http/schema/zod.ts";
import { randomSecret } from "#http/secret.ts";
import { originOf } from "#http/transport.ts";
import { actingMember } from "../actor.ts";
import { inputRefusals, memberWriteRefusals, programMember, reauthenticated } from "../guards.ts";
import { PartnerPath } from "../params.ts";
import { invitationMail } from "./invitation-mail.ts";

const NewInvitation = z
  .object({
    role: fields
      .oneOf("role", partnerRoles)
      .default("manage")
      .describe("`view`: reads. `manage`: also makes codes and changes payment details."),
    mail: fields
      .flag("mail")
      .default(true)
      .describe("Also mails the link to the partner's address, where the service sends mail."),
    member: fields
      .flag("member")
      .default(false)
      .describe("Owners only: a member of the workspace may accept it too, who is refused otherwise."),
  })
  .openapi("NewPartnerInvitation");

const Invitation = z
  .object({
    inviteUrl: z
      .string()
      .describe(
        "Gives access to the first account that accepts it. Shown once: unless it is mailed, deliver it yourself.",
      ),
    expiresAt: z.iso.datetime(),
    mailedTo: z.string().nullable().describe("The address it is mailed to, masked. `null`: it isn't mailed."),
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
    ...reauthenticated(withJsonBody(programMember("admin"))),
    request: { params: PartnerPath, body: body(NewInvitation) },
    responses: {
      ...created("Invitation created", z.object({ data: Invitation })),
      ...refusals(["reauthenticate", ...memberWriteRefusals, ...inputRefusals, "partner_erased"]),
    },
  }),
  handler: async (c) => {
    const partnerId = readId(c.req.valid("param").partnerId);
    if (partnerId === undefined) return refuse(c, { code: "not_found", what: "partner" });
    const { id: programId, name: programName } = c.get("program");
    const token = partnerInvitationToken(programId, randomSecret());
    const expiresAt = c.get("call").at + invitationDays * dayMs;
    const { role, mail: isMailed, member: isForMember } = c.req.valid("json");
    if (isForMember && c.get("membership").role !== "owner")
      return refuse(c, { code: "role_too_low", needed: "owner" });
    const inviteUrl = partnerInvitationLink(originOf(c), token);
    const link = { programId, programName, userId: c.get("userId"), partnerId, token, days: invitationDays };
    const mail = isMailed ? await invitationMail(c, link) : ok(undefined);
    if (!mail.ok) return refuse(c, mail.refusal);
    const invitations = [{ partnerId, tokenHash: hashLinkToken(token) }] as const;
    const mails = mail.value === undefined ? [] : [mail.value];
    const invite = {
      ...actingMember(c),
      kind: "invite-partners",
      role,
      expiresAt,
      isForMember,
      invitations,
      mails,
    } as const;
    const invited = await runOperation(c, invite);
    if (!invited.ok) return refuse(c, invited.refusal);
    if (mails.length > 0) sendMails(c, "program");
    const mailedTo = mail.value === undefined ? null : maskAddress(mail.value.to);
    return c.json({ data: { inviteUrl, expiresAt: timestamp(expiresAt), mailedTo } }, 201);
  },
});
