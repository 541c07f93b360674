import { createRoute } from "@hono/zod-openapi";
import { body, ok } from "../../http/described.ts";
import { endpoint } from "../../http/endpoint.ts";
import { refuseFaults } from "../../http/faults.ts";
import * as fields from "../../http/fields.ts";
import { refusals } from "../../http/refusals.ts";
import { refuse } from "../../http/refuse.ts";
import { ofInput, ofMembers, ofSession, ofWrite } from "../../http/session-refusals.ts";
import * as wire from "../../http/wire.ts";
import * as z from "../../http/zod.ts";
import { updateMember as update } from "../../store/workspace-members.ts";
import { fromDatabase } from "../from-database.ts";
import { workspaceMemberAndBody } from "../session-access.ts";
import { actorOf } from "./by-member.ts";
import { MemberReply, role } from "./member.ts";
import { MemberPath } from "./path.ts";

const MemberChanges = z
  .object({
    role: wire.optional(role()),
    status: wire.optional(fields.oneOf("status", ["active", "suspended"])),
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
      ...refusals(undefined, [...ofWrite, ...ofMembers, ...ofInput, "last_owner", "cap_reached", ...ofSession]),
    },
  }),
  hook: refuseFaults(MemberChanges),
  handler: async (c) => {
    const place = { id: c.req.valid("param").memberId, workspaceId: c.get("workspace").id };
    const changes = c.req.valid("json");
    const changed = await fromDatabase(c, (database) => update(database, place, changes, actorOf(c)));
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
