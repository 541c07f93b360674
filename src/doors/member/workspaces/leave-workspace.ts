import { readFromDatabase } from "#api/read-database.ts";
import { createRoute, endpoint, returns, refusals, refuse } from "#http/endpoint.ts";
import * as z from "#http/schema/zod.ts";
import { leaveWorkspace as leave } from "#store/accounts/members.ts";
import { actorOf } from "../actor.ts";
import { memberRefusals, workspaceMemberLeaving, writeRefusals } from "../guards.ts";
import { WorkspacePath } from "../params.ts";

export const leaveWorkspace = endpoint({
  route: createRoute({
    method: "delete",
    path: "/workspaces/{workspaceId}/membership",
    operationId: "leaveWorkspace",
    tags: ["Management"],
    summary: "Leave a workspace",
    description:
      "Any member can leave, also without the two-factor authentication that the workspace requires. Open invitations for their email address, and those that they made, stop working.",
    ...workspaceMemberLeaving(),
    request: { params: WorkspacePath },
    responses: {
      ...returns(
        "The workspace that you left. You lose access from the next call on.",
        z.object({ data: z.object({ id: z.string() }) }),
      ),
      ...refusals([...writeRefusals, ...memberRefusals, "last_owner"]),
    },
  }),
  handler: async (c) => {
    const { id } = c.get("workspace");
    const left = await readFromDatabase(c, "home", (database) => leave(database, id, actorOf(c)));
    if (!left.ok) return refuse(c, left.refusal);
    return left.value === "left" ? c.json({ data: { id } }, 200) : refuse(c, { code: left.value });
  },
});
