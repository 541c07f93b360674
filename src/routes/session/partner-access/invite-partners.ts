import { dayMs } from "#domain/calendar.ts";
import { hashLinkToken } from "#domain/link-token.ts";
import { invitationDays, partnerInvitationLink, partnerInvitationToken } from "#domain/partner-access.ts";
import { callLedger } from "#http/call-ledger.ts";
import { body, createRoute, endpoint, refusals, refuse, withJsonBody } from "#http/endpoint.ts";
import * as fields from "#http/schema/form-fields.ts";
import * as z from "#http/schema/zod.ts";
import { randomSecret } from "#http/secret.ts";
import { originOf } from "#http/transport.ts";
import { partnersWithoutAccess } from "#store/views/partner-access.ts";
import { readFromDatabase } from "../../read-database.ts";
import { actingMember } from "../actor.ts";
import { type ExportColumns, exportHead, exportHeaders, exportLines } from "../export-file.ts";
import { inputRefusals, memberWriteRefusals, programMember } from "../guards.ts";
import { ProgramPath } from "../params.ts";

const maxInvited = 1_000;
const maxDays = 14;
const idsMessage = `partnerIds must be 1 to ${maxInvited} ids`;

const NewInvitations = z
  .object({
    partnerIds: fields
      .optional(z.array(fields.programId("partnerIds"), idsMessage).min(1, idsMessage).max(maxInvited, idsMessage))
      .describe("Defaults to all partners, those first that haven't been invited."),
    days: fields.integer("days", 1, maxDays).default(invitationDays),
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
    ...withJsonBody(programMember("admin")),
    request: { params: ProgramPath, body: body(NewInvitations) },
    responses: {
      200: { description: "The links", content: { "text/csv": { schema: z.string() } } },
      ...refusals([...memberWriteRefusals, ...inputRefusals]),
    },
  }),
  handler: async (c) => {
    const program = c.get("program");
    const { partnerIds, days } = c.req.valid("json");
    const asked = { programId: program.id, ids: partnerIds, limit: maxInvited, at: c.get("call").at };
    const found = await readFromDatabase(c, "program", (database) => partnersWithoutAccess(database, asked));
    if (!found.ok) return refuse(c, found.refusal);
    const invited = found.value.map(({ id, name, email }) => ({
      ...{ id, name, email, token: partnerInvitationToken(program.id, randomSecret()) },
    }));
    const [first, ...others] = invited.map(({ id, token }) => ({ partnerId: id, tokenHash: hashLinkToken(token) }));
    if (first !== undefined) {
      const expiresAt = c.get("call").at + days * dayMs;
      const invitations = [first, ...others] as const;
      const invite = { ...actingMember(c), kind: "invite-partners", role: "manage", expiresAt, invitations } as const;
      const saved = await callLedger(c, invite, (ledger) => ledger.run(invite));
      if (!saved.ok) return refuse(c, saved.refusal);
    }
    const origin = originOf(c);
    const lines = invited.map(({ token, ...line }) => ({ ...line, inviteUrl: partnerInvitationLink(origin, token) }));
    return c.body(exportHead(columns) + exportLines(columns, lines), 200, exportHeaders(program, "invitations"));
  },
});
