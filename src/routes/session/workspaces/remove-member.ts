import { createRoute, endpoint, ok, refusals, refuse } from "#http/endpoint.ts";
import * as z from "#http/schema/zod.ts";
import { removeMember as remove } from "#store/accounts/members.ts";
import { readFromDatabase } from "../../read-database.ts";
import { actorOf } from "../actor.ts";
import { memberWriteRefusals, reauthenticated, workspaceMember } from "../guards.ts";
import { MemberPath } from "../params.ts";

export const removeMember = endpoint({
  route: createRoute({
    method: "delete",
    path: "/workspaces/{workspaceId}/members/{memberId}",
    operationId: "removeMember",
    tags: ["Management"],
    summary: "Remove a member",
    description:
      "Ends their access to the workspace; their account stays. A workspace keeps at least one active owner.",
    ...reauthenticated(workspaceMember("owner")),
    request: { params: MemberPath },
    responses: {
      ...ok(
        "The removed member. The change applies from their next call on.",
        z.object({ data: z.object({ id: z.string() }) }),
      ),
      ...refusals(["reauthenticate", ...memberWriteRefusals, "last_owner"]),
    },
  }),
  handler: async (c) => {
    const member = { id: c.req.valid("param").memberId, workspaceId: c.get("workspace").id };
    const removed = await readFromDatabase(c, "home", (database) => remove(database, member, actorOf(c)));
    if (!removed.ok) return refuse(c, removed.refusal);
    switch (removed.value) {
      case "removed":
        return c.json({ data: { id: member.id } }, 200);
      case "missing":
        return refuse(c, { code: "not_found", what: "member" });
      case "last_owner":
      case "not_a_member":
        return refuse(c, { code: removed.value });
    }
  },
});
