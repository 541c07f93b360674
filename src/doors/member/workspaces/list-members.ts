import { readFromDatabase } from "#api/read-database.ts";
import { createRoute, endpoint, returns, refusals, refuse } from "#http/endpoint.ts";
import * as z from "#http/schema/zod.ts";
import { listMembers as list } from "#store/accounts/members.ts";
import { memberRefusals, workspaceMember } from "../guards.ts";
import { WorkspacePath } from "../params.ts";
import { MemberReply } from "./member-reply.ts";

export const listMembers = endpoint({
  route: createRoute({
    method: "get",
    path: "/workspaces/{workspaceId}/members",
    operationId: "listMembers",
    tags: ["Management"],
    summary: "List a workspace's members",
    description: "Includes suspended members. Open invitations are listed separately.",
    ...workspaceMember("viewer"),
    request: { params: WorkspacePath },
    responses: {
      ...returns("Members, oldest first", z.object({ data: z.array(MemberReply) })),
      ...refusals(memberRefusals),
    },
  }),
  handler: async (c) => {
    const found = await readFromDatabase(c, "home", (database) => list(database, c.get("workspace").id));
    return found.ok ? c.json({ data: [...found.value] }, 200) : refuse(c, found.refusal);
  },
});
