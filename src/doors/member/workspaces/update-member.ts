import { readFromDatabase } from "#api/read-database.ts";
import { memberStatuses } from "#domain/role.ts";
import { body, createRoute, endpoint, returns, refusals, refuse, withJsonBody } from "#http/endpoint.ts";
import * as fields from "#http/schema/form-fields.ts";
import * as z from "#http/schema/zod.ts";
import { updateMember as update } from "#store/accounts/members.ts";
import { actorOf } from "../actor.ts";
import { inputRefusals, memberWriteRefusals, reauthenticated, workspaceMember } from "../guards.ts";
import { MemberPath } from "../params.ts";
import { MemberReply, role } from "./member-reply.ts";

const MemberChanges = z
  .object({
    role: fields.omittable(role()),
    status: fields.omittable(fields.oneOf("status", memberStatuses)),
  })
  .openapi("MemberChanges");

export const updateMember = endpoint({
  route: createRoute({
    method: "patch",
    path: "/workspaces/{workspaceId}/members/{memberId}",
    operationId: "updateMember",
    tags: ["Management"],
    summary: "Update a member",
    description:
      "Changes a member's role, suspends them or reactivates them. A workspace keeps at least one active owner.",
    ...reauthenticated(withJsonBody(workspaceMember("owner"))),
    request: { params: MemberPath, body: body(MemberChanges) },
    responses: {
      ...returns("The updated member. The change applies from their next call on.", z.object({ data: MemberReply })),
      ...refusals(["reauthenticate", ...memberWriteRefusals, ...inputRefusals, "last_owner", "cap_reached"]),
    },
  }),
  handler: async (c) => {
    const member = { id: c.req.valid("param").memberId, workspaceId: c.get("workspace").id };
    const changes = c.req.valid("json");
    const changed = await readFromDatabase(c, "home", (database) => update(database, member, changes, actorOf(c)));
    if (!changed.ok) return refuse(c, changed.refusal);
    switch (changed.value.outcome) {
      case "changed":
        return c.json({ data: changed.value.member }, 200);
      case "missing":
        return refuse(c, { code: "not_found", what: "member" });
      case "cap_reached":
        return refuse(c, { code: "cap_reached", cap: "ownedWorkspaces" });
      case "last_owner":
      case "not_a_member":
        return refuse(c, { code: changed.value.outcome });
    }
  },
});
