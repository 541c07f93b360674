import { readFromDatabase } from "#api/read-database.ts";
import { signUpOf } from "#env.ts";
import { createRoute, endpoint, returns, refusals, refuse } from "#http/endpoint.ts";
import * as z from "#http/schema/zod.ts";
import { listWorkspaces as list } from "#store/accounts/workspaces.ts";
import { sessionRefusals, signedIn } from "../guards.ts";
import { WorkspaceReply } from "./workspace-reply.ts";

const Meta = z.object({ mayCreate: z.boolean().describe("True if you can create a workspace.") });

export const listWorkspaces = endpoint({
  route: createRoute({
    method: "get",
    path: "/workspaces",
    operationId: "listWorkspaces",
    tags: ["Management"],
    summary: "List your workspaces",
    description: "Workspaces in which you are suspended are left out.",
    ...signedIn(),
    responses: {
      ...returns(
        "Workspaces of which you are an active member, oldest first",
        z.object({ data: z.array(WorkspaceReply), meta: Meta }),
      ),
      ...refusals(sessionRefusals),
    },
  }),
  handler: async (c) => {
    const found = await readFromDatabase(c, "home", (database) => list(database, c.get("userId"), signUpOf(c.env)));
    if (!found.ok) return refuse(c, found.refusal);
    const { own, mayCreate } = found.value;
    return c.json({ data: [...own], meta: { mayCreate } }, 200);
  },
});
