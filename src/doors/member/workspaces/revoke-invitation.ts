import { readFromDatabase } from "#api/read-database.ts";
import { createRoute, endpoint, returns, refusals, refuse } from "#http/endpoint.ts";
import * as z from "#http/schema/zod.ts";
import { revokeInvitation as revoke } from "#store/accounts/invitations.ts";
import { actorOf } from "../actor.ts";
import { memberWriteRefusals, workspaceMember } from "../guards.ts";
import { InvitationPath } from "../params.ts";

export const revokeInvitation = endpoint({
  route: createRoute({
    method: "delete",
    path: "/workspaces/{workspaceId}/invitations/{invitationId}",
    operationId: "revokeInvitation",
    tags: ["Management"],
    summary: "Revoke an invitation",
    description: "The link stops working at once. Revoking it again returns 404.",
    ...workspaceMember("owner"),
    request: { params: InvitationPath },
    responses: {
      ...returns("Invitation revoked", z.object({ data: z.object({ id: z.string() }) })),
      ...refusals(memberWriteRefusals),
    },
  }),
  handler: async (c) => {
    const invitation = { id: c.req.valid("param").invitationId, workspaceId: c.get("workspace").id };
    const revoked = await readFromDatabase(c, "home", (database) => revoke(database, invitation, actorOf(c)));
    if (!revoked.ok) return refuse(c, revoked.refusal);
    if (!revoked.value) return refuse(c, { code: "not_found", what: "invitation" });
    return c.json({ data: { id: invitation.id } }, 200);
  },
});
