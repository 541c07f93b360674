import { readFromDatabase } from "#api/read-database.ts";
import { hashLinkToken } from "#domain/link-token.ts";
import { roles } from "#domain/role.ts";
import { body, commonRefusals, createRoute, endpoint, returns, refusals, refuse, withJsonBody } from "#http/endpoint.ts";
import * as fields from "#http/schema/form-fields.ts";
import * as z from "#http/schema/zod.ts";
import { findInvitation } from "#store/accounts/invitations.ts";
import { countInvitationView } from "../auth/limits.ts";
import { fromOwnOrigin, inputRefusals, writeRefusals } from "../guards.ts";

const InvitationToken = z.object({ token: fields.nonBlank("token") }).openapi("InvitationToken");

const ShownInvitation = z
  .object({
    workspaceName: z.string(),
    role: z.enum(roles),
    email: z.string().nullable().describe("The e-mail address that the invitation is for."),
  })
  .openapi("ShownInvitation");

export const showInvitation = endpoint({
  route: createRoute({
    method: "post",
    path: "/invitations/show",
    operationId: "showInvitation",
    tags: ["Management"],
    summary: "Get an open invitation",
    description: "Requires only the token, not a session. Changes nothing; it is a POST to keep the token out of URLs.",
    ...withJsonBody(fromOwnOrigin(countInvitationView)),
    request: { body: body(InvitationToken) },
    responses: {
      ...returns("The workspace and the role in it", z.object({ data: ShownInvitation })),
      ...refusals([...writeRefusals, ...inputRefusals, "invitation_invalid", ...commonRefusals]),
    },
  }),
  handler: async (c) => {
    const tokenHash = hashLinkToken(c.req.valid("json").token);
    const found = await readFromDatabase(c, "home", (database) =>
      findInvitation(database, tokenHash, c.get("call").at),
    );
    if (!found.ok) return refuse(c, found.refusal);
    if (found.value === undefined) return refuse(c, { code: "invitation_invalid" });
    return c.json({ data: found.value }, 200);
  },
});
