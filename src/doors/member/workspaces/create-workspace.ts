import { readFromDatabase } from "#api/read-database.ts";
import { signUpOf } from "#env.ts";
import { body, created, createRoute, endpoint, refusals, refuse, withJsonBody } from "#http/endpoint.ts";
import * as fields from "#http/schema/form-fields.ts";
import * as z from "#http/schema/zod.ts";
import { createWorkspace as create } from "#store/accounts/workspaces.ts";
import { actorOf } from "../actor.ts";
import { inputRefusals, sessionRefusals, signedIn, writeRefusals } from "../guards.ts";
import { WorkspaceReply } from "./workspace-reply.ts";

const NewWorkspace = z.object({ name: fields.nonBlank("name") }).openapi("NewWorkspace");

export const createWorkspace = endpoint({
  route: createRoute({
    method: "post",
    path: "/workspaces",
    operationId: "createWorkspace",
    tags: ["Management"],
    summary: "Create a workspace",
    description:
      "You become its owner. If sign-up is by invitation, only owners of a workspace and the first owner can create one.",
    ...withJsonBody(signedIn()),
    request: { body: body(NewWorkspace) },
    responses: {
      ...created("Made", z.object({ data: WorkspaceReply })),
      ...refusals([...writeRefusals, ...inputRefusals, "no_workspaces", "cap_reached", ...sessionRefusals]),
    },
  }),
  handler: async (c) => {
    const { name } = c.req.valid("json");
    const workspace = { id: crypto.randomUUID(), name, membershipId: crypto.randomUUID() };
    const saved = await readFromDatabase(c, "home", (database) =>
      create(database, workspace, actorOf(c), signUpOf(c.env)),
    );
    if (!saved.ok) return refuse(c, saved.refusal);
    if (saved.value === "not_allowed") return refuse(c, { code: "no_workspaces" });
    if (saved.value === "cap_reached") return refuse(c, { code: "cap_reached", cap: "ownedWorkspaces" });
    return c.json({ data: { id: workspace.id, name, role: "owner" as const, requireTwoFactor: false } }, 201);
  },
});
