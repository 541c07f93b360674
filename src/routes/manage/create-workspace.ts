import { createRoute } from "@hono/zod-openapi";
import { signUpOf } from "../../env.ts";
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
import { actorOf } from "./by-member.ts";
import { WorkspaceReply } from "./workspace.ts";

const NewWorkspace = z.object({ name: fields.filled("name") }).openapi("NewWorkspace");

export const createWorkspace = endpoint({
  route: createRoute({
    method: "post",
    path: "/workspaces",
    operationId: "createWorkspace",
    tags: ["Management"],
    summary: "Create a workspace",
    description:
      "You become its owner. If sign-up is by invitation, only owners of a workspace and the first owner can create one.",
    ...signedInAndBody(),
    request: { body: body(NewWorkspace) },
    responses: {
      ...created("Made", z.object({ data: WorkspaceReply })),
      ...refusals(undefined, [...ofWrite, ...ofInput, "sign_up_by_invitation", "cap_reached", ...ofSession]),
    },
  }),
  hook: refuseFaults(NewWorkspace),
  handler: async (c) => {
    const { name } = c.req.valid("json");
    const workspace = { id: crypto.randomUUID(), name, membershipId: crypto.randomUUID() };
    const made = await fromDatabase(c, (database) => create(database, workspace, actorOf(c), signUpOf(c.env)));
    if (!made.ok) return refuse(c, made.refusal);
    if (made.value === "not_allowed") return refuse(c, { code: "sign_up_by_invitation" });
    if (made.value === "cap_reached") return refuse(c, { code: "cap_reached", cap: "ownedWorkspaces" });
    return c.json({ data: { id: workspace.id, name, role: "owner" as const } }, 201);
  },
});
