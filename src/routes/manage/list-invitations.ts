import { createRoute } from "@hono/zod-openapi";
import { roles } from "../../domain/role.ts";
import { ok } from "../../http/described.ts";
import { endpoint } from "../../http/endpoint.ts";
import { instant } from "../../http/instant.ts";
import { refusals } from "../../http/refusals.ts";
import { refuse } from "../../http/refuse.ts";
import { ofMembers, ofSession } from "../../http/session-refusals.ts";
import * as z from "../../http/zod.ts";
import { listInvitations as list } from "../../store/invitations.ts";
import { fromDatabase } from "../from-database.ts";
import { workspaceMember } from "../session-access.ts";
import { WorkspacePath } from "./path.ts";

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
      ...ok("Open invitations, oldest first", z.object({ data: z.array(Invitation) })),
      ...refusals(undefined, [...ofMembers, ...ofSession]),
    },
  }),
  handler: async (c) => {
    const workspace = c.get("workspace");
    const call = c.get("call");
    const found = await fromDatabase(c, (database) => list(database, workspace.id, call.at));
    if (!found.ok) return refuse(c, found.refusal);
    const data = found.value.map(({ createdAt, expiresAt, ...invitation }) => ({
      ...invitation,
      createdAt: instant(createdAt),
      expiresAt: instant(expiresAt),
    }));
    return c.json({ data }, 200);
  },
});
