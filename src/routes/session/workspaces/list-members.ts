import { createRoute } from "@hono/zod-openapi";
import { ok } from "../../../http/content.ts";
import { endpoint } from "../../../http/endpoint.ts";
import { refuse } from "../../../http/refusal/refuse.ts";
import { refusals } from "../../../http/refusal/responses.ts";
import { memberRefusals, sessionRefusals } from "../../../http/refusal/session-codes.ts";
import * as z from "../../../http/schema/zod.ts";
import { listMembers as list } from "../../../store/accounts/members.ts";
import { readFromDatabase } from "../../read-database.ts";
import { workspaceMember } from "../guards.ts";
import { WorkspacePath } from "../params.ts";
import { MemberReply } from "./member-reply.ts";

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
      ...refusals(undefined, [...memberRefusals, ...sessionRefusals]),
    },
  }),
  handler: async (c) => {
    const found = await readFromDatabase(c, (database) => list(database, c.get("workspace").id));
    return found.ok ? c.json({ data: [...found.value] }, 200) : refuse(c, found.refusal);
  },
});
