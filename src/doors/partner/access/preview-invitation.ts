import { partnerRoles } from "#domain/partner-access.ts";
import { body, commonRefusals, createRoute, endpoint, returns, refusals, refuse, withJsonBody } from "#http/endpoint.ts";
import * as fields from "#http/schema/form-fields.ts";
import * as z from "#http/schema/zod.ts";
import { countInvitationView } from "../../member/auth/limits.ts";
import { fromOwnOrigin, inputRefusals, writeRefusals } from "../../member/guards.ts";
import { Terms, termsReply } from "../../member/join/join-record.ts";
import { readOpenInvitation } from "./read-invitation.ts";

const Token = z.object({ token: fields.nonBlank("token") }).openapi("PartnerInvitationToken");

const Preview = z
  .object({
    programName: z.string(),
    partnerName: z.string(),
    role: z.enum(partnerRoles),
    terms: Terms.nullable().describe("To be accepted with the invitation."),
  })
  .openapi("PartnerInvitationPreview");

export const previewInvitation = endpoint({
  route: createRoute({
    method: "post",
    path: "/invitations/preview",
    operationId: "previewPartnerInvitation",
    tags: ["Access"],
    summary: "See what an invitation gives access to",
    description: "Requires only the token, not a session. Changes nothing; it is a POST to keep the token out of URLs.",
    ...withJsonBody(fromOwnOrigin(countInvitationView)),
    request: { body: body(Token) },
    responses: {
      ...returns("An open invitation", z.object({ data: Preview })),
      ...refusals([...writeRefusals, ...inputRefusals, "invitation_invalid", ...commonRefusals]),
    },
  }),
  handler: async (c) => {
    const found = await readOpenInvitation(c, c.req.valid("json").token);
    if (!found.ok) return refuse(c, found.refusal);
    const { program, partner, invitation, terms } = found.value;
    const data = {
      ...{ programName: program.name, partnerName: partner.name, role: invitation.role },
      terms: terms === undefined ? null : termsReply(terms),
    };
    return c.json({ data }, 200);
  },
});
