import { readFromDatabase } from "#api/read-database.ts";
import { hashLinkToken } from "#domain/link-token.ts";
import { roles } from "#domain/role.ts";
import { body, createRoute, endpoint, returns, refusals, refuse, withJsonBody } from "#http/endpoint.ts";
import * as fields from "#http/schema/form-fields.ts";
import * as z from "#http/schema/zod.ts";
import { acceptInvitation as accept } from "#store/accounts/invitations.ts";
import { actorOf } from "../actor.ts";
import { inputRefusals, sessionWriteRefusals, signedIn } from "../guards.ts";

const Acceptance = z.object({ token: fields.nonBlank("token") }).openapi("Acceptance");

const Accepted = z.object({ workspaceId: z.string(), role: z.enum(roles) }).openapi("Accepted");

export const acceptInvitation = endpoint({
  route: createRoute({
    method: "post",
    path: "/invitations/accept",
    operationId: "acceptInvitation",
    tags: ["Management"],
    summary: "Accept an invitation",
    description: "Makes you a member of the workspace, with the invitation's role. An invitation works once.",
    ...withJsonBody(signedIn()),
    request: { body: body(Acceptance) },
    responses: {
      ...returns("The new membership", z.object({ data: Accepted })),
      ...refusals([...sessionWriteRefusals, ...inputRefusals, "invitation_invalid", "already_member", "cap_reached"]),
    },
  }),
  handler: async (c) => {
    const tokenHash = hashLinkToken(c.req.valid("json").token);
    const acceptance = { membershipId: crypto.randomUUID(), tokenHash };
    const accepted = await readFromDatabase(c, "home", (database) => accept(database, acceptance, actorOf(c)));
    if (!accepted.ok) return refuse(c, accepted.refusal);
    switch (accepted.value.outcome) {
      case "accepted": {
        const { workspaceId, role } = accepted.value;
        return c.json({ data: { workspaceId, role } }, 200);
      }
      case "already_a_member":
        return refuse(c, { code: "already_member" });
      case "cap_reached":
        return refuse(c, { code: "cap_reached", cap: "ownedWorkspaces" });
      case "invalid":
        return refuse(c, { code: "invitation_invalid" });
    }
  },
});
