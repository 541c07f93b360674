import { createRoute } from "@hono/zod-openapi";
import { signUpOf } from "../../env.ts";
import { ok } from "../../http/described.ts";
import { endpoint } from "../../http/endpoint.ts";
import { refusals } from "../../http/refusals.ts";
import { refuse } from "../../http/refuse.ts";
import { ofSession } from "../../http/session-refusals.ts";
import * as z from "../../http/zod.ts";
import { listWorkspaces as list } from "../../store/workspaces.ts";
import { fromDatabase } from "../from-database.ts";
import { signedIn } from "../session-access.ts";
import { WorkspaceReply } from "./workspace.ts";

const Meta = z.object({ mayCreate: z.boolean().describe("True if you can create a workspace.") });

export const listWorkspaces = endpoint({
  route: createRoute({
    method: "get",
    path: "/workspaces",
    operationId: "listWorkspaces",
    tags: ["Management"],
    summary: "List your workspaces",
    ...signedIn(),
    responses: {
      ...ok(
        "Workspaces of which you are an active member, oldest first",
        z.object({ data: z.array(WorkspaceReply), meta: Meta }),
      ),
      ...refusals(undefined, ofSession),
    },
  }),
  handler: async (c) => {
    const found = await fromDatabase(c, (database) => list(database, c.get("userId"), signUpOf(c.env)));
    if (!found.ok) return refuse(c, found.refusal);
    const { own, mayCreate } = found.value;
    return c.json({ data: [...own], meta: { mayCreate } }, 200);
  },
});
