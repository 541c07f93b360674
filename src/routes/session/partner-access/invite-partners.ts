import { dayMs } from "#domain/calendar.ts";
import type { PartnerId } from "#domain/ids.ts";
import { hashLinkToken } from "#domain/link-token.ts";
import { invitationDays, partnerInvitationLink, partnerInvitationToken } from "#domain/partner-access.ts";
import { callLedger } from "#http/call-ledger.ts";
import type { Ctx } from "#http/context.ts";
import { body, createRoute, endpoint, refusals, refuse, withJsonBody } from "#http/endpoint.ts";
import * as fields from "#http/schema/form-fields.ts";
import * as z from "#http/schema/zod.ts";
import { randomSecret } from "#http/secret.ts";
import { originOf } from "#http/transport.ts";
import type { ProgramScope } from "#store/accounts/scope.ts";
import { partnersWithoutAccess } from "#store/views/partner-access.ts";
import { sendMails } from "../../mail.ts";
import { readFromDatabase } from "../../read-database.ts";
import { actingMember } from "../actor.ts";
import { type ExportColumns, exportHead, exportHeaders, exportLines } from "../export-file.ts";
import { inputRefusals, memberWriteRefusals, programMember, reauthenticated } from "../guards.ts";
import { ProgramPath } from "../params.ts";
import { sealedInvitation } from "./invitation-mail.ts";

const maxInvited = 1_000;
const maxDays = 14;
const idsMessage = `partnerIds must be 1 to ${maxInvited} ids`;

const NewInvitations = z
  .object({
    partnerIds: fields
      .optional(z.array(fields.programId("partnerIds"), idsMessage).min(1, idsMessage).max(maxInvited, idsMessage))
      .describe("Defaults to all partners, those first that haven't been invited."),
    days: fields.integer("days", 1, maxDays).default(invitationDays),
    mail: fields
      .flag("mail")
      .default(false)
      .describe("Also mails each link to the partner's address, where the service sends mail."),
  })
  .openapi("NewPartnerInvitations");

interface Line {
  readonly name: string;
  readonly email: string | null;
  readonly inviteUrl: string;
}

const columns: ExportColumns<Line> = {
  name: ({ name }) => name,
  email: ({ email }) => email,
  invite_url: ({ inviteUrl }) => inviteUrl,
};

async function mailsOf(
  c: Ctx,
  { id: programId, name: programName }: Pick<ProgramScope, "id" | "name">,
  invited: readonly (Line & { readonly id: PartnerId })[],
  days: number,
) {
  const mails = invited.map(({ id: partnerId, name, email, inviteUrl }) => {
    const link = { programId, programName, partnerId, inviteUrl, days };
    return email === null ? undefined : sealedInvitation(c, link, { name, to: email });
  });
  return (await Promise.all(mails)).filter((mail) => mail !== undefined);
}

export const invitePartners = endpoint({
  route: createRoute({
    method: "post",
    path: "/programs/{programId}/partners/invitations",
    operationId: "invitePartners",
    tags: ["Partners' access"],
    summary: "Invite many partners",
    description:
      "A file with a link for each active partner whom no account has access to, for your own mailing. " +
      "Each ends the partner's older link; sent again, the first file's links no longer work.",
    ...reauthenticated(withJsonBody(programMember("admin"))),
    request: { params: ProgramPath, body: body(NewInvitations) },
    responses: {
      200: { description: "The links", content: { "text/csv": { schema: z.string() } } },
      ...refusals(["reauthenticate", ...memberWriteRefusals, ...inputRefusals]),
    },
  }),
  handler: async (c) => {
    const program = c.get("program");
    const { partnerIds, days, mail: isMailed } = c.req.valid("json");
    const asked = { programId: program.id, ids: partnerIds, limit: maxInvited, at: c.get("call").at };
    const found = await readFromDatabase(c, "program", (database) => partnersWithoutAccess(database, asked));
    if (!found.ok) return refuse(c, found.refusal);
    const origin = originOf(c);
    const invited = found.value.map(({ id, name, email }) => {
      const token = partnerInvitationToken(program.id, randomSecret());
      return { id, name, email, token, inviteUrl: partnerInvitationLink(origin, token) };
    });
    const [first, ...others] = invited.map(({ id, token }) => ({ partnerId: id, tokenHash: hashLinkToken(token) }));
    if (first !== undefined) {
      const expiresAt = c.get("call").at + days * dayMs;
      const invitations = [first, ...others] as const;
      const mails = isMailed ? await mailsOf(c, program, invited, days) : [];
      const invite = {
        ...actingMember(c),
        kind: "invite-partners",
        role: "manage",
        expiresAt,
        invitations,
        mails,
      } as const;
      const saved = await callLedger(c, invite, (ledger) => ledger.run(invite));
      if (!saved.ok) return refuse(c, saved.refusal);
      if (mails.length > 0) sendMails(c, "program");
    }
    return c.body(exportHead(columns) + exportLines(columns, invited), 200, exportHeaders(program, "invitations"));
  },
});
