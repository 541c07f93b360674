import { createRoute } from "@hono/zod-openapi";
import { body, created } from "../../http/described.ts";
import { endpoint } from "../../http/endpoint.ts";
import { refuseFaults } from "../../http/faults.ts";
import * as fields from "../../http/fields.ts";
import { refusals } from "../../http/refusals.ts";
import { refuse } from "../../http/refuse.ts";
import { ofInput, ofSession, ofWrite } from "../../http/session-refusals.ts";
import * as z from "../../http/zod.ts";
import { createWorkspace as create } from "../../store/workspaces.ts";
import { fromDatabase } from "../from-database.ts";
import { signedInAndBody } from "../session-access.ts";
import { WorkspaceReply } from "./workspace.ts";

const NewWorkspace = z.object({ name: fields.filled("name") }).openapi("NewWorkspace");

export const createWorkspace = endpoint({
  route: createRoute({
    method: "post",
    path: "/workspaces",
    operationId: "createWorkspace",
    tags: ["Management"],
    summary: "Make a workspace, as its owner",
    ...signedInAndBody(),
    request: { body: body(NewWorkspace) },
    responses: {
      ...created("Made", z.object({ data: WorkspaceReply })),
      ...refusals(undefined, [...ofWrite, ...ofInput, ...ofSession]),
    },
  }),
  hook: refuseFaults(NewWorkspace),
  handler: async (c) => {
    const { userId, call } = c.var;
    const workspace = { id: crypto.randomUUID(), name: c.req.valid("json").name, createdAt: call.at };
    const owner = { membershipId: crypto.randomUUID(), userId };
    const made = await fromDatabase(c, (database) => create(database, workspace, owner));
    if (!made.ok) return refuse(c, made.refusal);
    return c.json({ data: { id: workspace.id, name: workspace.name, role: "owner" as const } }, 201);
  },
});
