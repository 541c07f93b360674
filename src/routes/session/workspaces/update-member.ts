import { createRoute } from "@hono/zod-openapi";
import { memberStatuses } from "../../../domain/role.ts";
import { body, ok } from "../../../http/content.ts";
import { endpoint } from "../../../http/endpoint.ts";
import { refuse } from "../../../http/refusal/refuse.ts";
import { refusals } from "../../../http/refusal/responses.ts";
import { inputRefusals, memberRefusals, sessionRefusals, writeRefusals } from "../../../http/refusal/session-codes.ts";
import { refuseInvalid } from "../../../http/refusal/validation.ts";
import * as wire from "../../../http/schema/fields.ts";
import * as fields from "../../../http/schema/form-fields.ts";
import * as z from "../../../http/schema/zod.ts";
import { updateMember as update } from "../../../store/accounts/workspace-members.ts";
import { readFromDatabase } from "../../read-database.ts";
import { actorOf } from "../actor.ts";
import { workspaceMemberAndBody } from "../guards.ts";
import { MemberPath } from "../params.ts";
import { MemberReply, role } from "./member-reply.ts";

const MemberChanges = z
  .object({
    role: wire.optional(role()),
    status: wire.optional(fields.oneOf("status", memberStatuses)),
  })
  .openapi("MemberChanges");

export const updateMember = endpoint({
  route: createRoute({
    method: "patch",
    path: "/workspaces/{workspaceId}/members/{memberId}",
    operationId: "updateMember",
    tags: ["Management"],
    summary: "Update a member",
    ...workspaceMemberAndBody("owner"),
    request: { params: MemberPath, body: body(MemberChanges) },
    responses: {
      ...ok("The updated member. The change applies from their next call on.", z.object({ data: MemberReply })),
      ...refusals(undefined, [
        ...writeRefusals,
        ...memberRefusals,
        ...inputRefusals,
        "last_owner",
        "cap_reached",
        ...sessionRefusals,
      ]),
    },
  }),
  hook: refuseInvalid(MemberChanges),
  handler: async (c) => {
    const place = { id: c.req.valid("param").memberId, workspaceId: c.get("workspace").id };
    const changes = c.req.valid("json");
    const changed = await readFromDatabase(c, (database) => update(database, place, changes, actorOf(c)));
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
