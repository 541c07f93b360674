import { readFromDatabase } from "#api/read-database.ts";
import { roles } from "#domain/role.ts";
import { createRoute, endpoint, returns, refusals, refuse } from "#http/endpoint.ts";
import { timestamp } from "#http/schema/timestamp.ts";
import * as z from "#http/schema/zod.ts";
import { listInvitations as list } from "#store/accounts/invitations.ts";
import { memberRefusals, workspaceMember } from "../guards.ts";
import { WorkspacePath } from "../params.ts";

const Invitation = z
  .object({
    id: z.string(),
    email: z.string().nullable().describe("The e-mail address that the invitation is for. Null if it was not stored."),
    role: z.enum(roles),
    invitedBy: z.string().describe("Id of the user who created the invitation."),
    invitedByName: z.string(),
    createdAt: z.iso.datetime(),
    expiresAt: z.iso.datetime(),
  })
  .openapi("Invitation");

export const listInvitations = endpoint({
  route: createRoute({
    method: "get",
    path: "/workspaces/{workspaceId}/invitations",
    operationId: "listInvitations",
    tags: ["Management"],
    summary: "List open invitations",
    description:
      "An invitation is open until it is used, revoked or expired, as long as its creator is an active owner.",
    ...workspaceMember("owner"),
    request: { params: WorkspacePath },
    responses: {
      ...returns("Open invitations, oldest first", z.object({ data: z.array(Invitation) })),
      ...refusals(memberRefusals),
    },
  }),
  handler: async (c) => {
    const workspace = c.get("workspace");
    const call = c.get("call");
    const found = await readFromDatabase(c, "home", (database) => list(database, workspace.id, call.at));
    if (!found.ok) return refuse(c, found.refusal);
    const data = found.value.map(({ createdAt, expiresAt, ...invitation }) => ({
      ...invitation,
      createdAt: timestamp(createdAt),
      expiresAt: timestamp(expiresAt),
    }));
    return c.json({ data }, 200);
  },
});
