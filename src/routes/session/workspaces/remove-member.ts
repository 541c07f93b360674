import { createRoute } from "@hono/zod-openapi";
import { ok } from "../../../http/content.ts";
import { endpoint } from "../../../http/endpoint.ts";
import { refuse } from "../../../http/refusal/refuse.ts";
import { refusals } from "../../../http/refusal/responses.ts";
import { memberRefusals, sessionRefusals, writeRefusals } from "../../../http/refusal/session-codes.ts";
import * as z from "../../../http/schema/zod.ts";
import { removeMember as remove } from "../../../store/accounts/members.ts";
import { readFromDatabase } from "../../read-database.ts";
import { actorOf } from "../actor.ts";
import { workspaceMember } from "../guards.ts";
import { MemberPath } from "../params.ts";

export const removeMember = endpoint({
  route: createRoute({
    method: "delete",
    path: "/workspaces/{workspaceId}/members/{memberId}",
    operationId: "removeMember",
    tags: ["Management"],
    summary: "Remove a member",
    ...workspaceMember("owner"),
    request: { params: MemberPath },
    responses: {
      ...ok(
        "The removed member. The change applies from their next call on.",
        z.object({ data: z.object({ id: z.string() }) }),
      ),
      ...refusals(undefined, [...writeRefusals, ...memberRefusals, "last_owner", ...sessionRefusals]),
    },
  }),
  handler: async (c) => {
    const place = { id: c.req.valid("param").memberId, workspaceId: c.get("workspace").id };
    const removed = await readFromDatabase(c, (database) => remove(database, place, actorOf(c)));
    if (!removed.ok) return refuse(c, removed.refusal);
    switch (removed.value) {
      case "removed":
        return c.json({ data: { id: place.id } }, 200);
      case "missing":
        return refuse(c, { code: "not_found", what: "member" });
      case "last_owner":
      case "not_a_member":
        return refuse(c, { code: removed.value });
    }
  },
});
