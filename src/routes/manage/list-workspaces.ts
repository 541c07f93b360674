import { createRoute } from "@hono/zod-openapi";
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

export const listWorkspaces = endpoint({
  route: createRoute({
    method: "get",
    path: "/workspaces",
    operationId: "listWorkspaces",
    tags: ["Management"],
    summary: "The workspaces one is an active member of",
    ...signedIn(),
    responses: {
      ...ok("The oldest first", z.object({ data: z.array(WorkspaceReply) })),
      ...refusals(undefined, ofSession),
    },
  }),
  handler: async (c) => {
    const found = await fromDatabase(c, (database) => list(database, c.var.userId));
    return found.ok ? c.json({ data: [...found.value] }, 200) : refuse(c, found.refusal);
  },
});
