import { createRoute } from "@hono/zod-openapi";
import { ok } from "../../http/described.ts";
import { endpoint } from "../../http/endpoint.ts";
import { refusals } from "../../http/refusals.ts";
import { refuse } from "../../http/refuse.ts";
import { ofMembers, ofSession } from "../../http/session-refusals.ts";
import * as z from "../../http/zod.ts";
import { listMembers as list } from "../../store/workspace-members.ts";
import { fromDatabase } from "../from-database.ts";
import { workspaceMember } from "../session-access.ts";
import { MemberReply } from "./member.ts";
import { WorkspacePath } from "./path.ts";

export const listMembers = endpoint({
  route: createRoute({
    method: "get",
    path: "/workspaces/{workspaceId}/members",
    operationId: "listMembers",
    tags: ["Management"],
    summary: "List a workspace's members",
    ...workspaceMember("viewer"),
    request: { params: WorkspacePath },
    responses: {
      ...ok("Members, oldest first", z.object({ data: z.array(MemberReply) })),
      ...refusals(undefined, [...ofMembers, ...ofSession]),
    },
  }),
  handler: async (c) => {
    const found = await fromDatabase(c, (database) => list(database, c.get("workspace").id));
    return found.ok ? c.json({ data: [...found.value] }, 200) : refuse(c, found.refusal);
  },
});
