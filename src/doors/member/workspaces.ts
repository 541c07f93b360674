import { readFromDatabase } from "#api/read-database.ts";
import { roles } from "#domain/role.ts";
import { signUpOf } from "#env.ts";
import { body, created, createRoute, endpoint, refusals, refuse, returns, withJsonBody } from "#http/endpoint.ts";
import * as fields from "#http/schema/form-fields.ts";
import * as z from "#http/schema/zod.ts";
import {
  createWorkspace as create,
  listWorkspaces as list,
  updateWorkspace as update,
} from "#store/accounts/workspaces.ts";
import { actorOf } from "./actor.ts";
import {
  inputRefusals,
  memberWriteRefusals,
  reauthenticated,
  sessionRefusals,
  signedInAsMember,
  workspaceMember,
  writeRefusals,
} from "./guards.ts";
import { WorkspacePath } from "./params.ts";

const WorkspaceReply = z
  .object({
    id: z.string(),
    name: z.string(),
    role: z.enum(roles).describe("Your role in the workspace."),
    requireTwoFactor: z.boolean().describe("Members without two-factor authentication can only read."),
  })
  .openapi("Workspace");

const Meta = z.object({ mayCreate: z.boolean().describe("True if you can create a workspace.") });

export const listWorkspaces = endpoint({
  route: createRoute({
    method: "get",
    path: "/workspaces",
    operationId: "listWorkspaces",
    tags: ["Management"],
    summary: "List your workspaces",
    description: "Workspaces in which you are suspended are left out.",
    ...signedInAsMember(),
    responses: {
      ...returns(
        "Workspaces of which you are an active member, oldest first",
        z.object({ data: z.array(WorkspaceReply), meta: Meta }),
      ),
      ...refusals(["oidc_required", ...sessionRefusals]),
    },
  }),
  handler: async (c) => {
    const found = await readFromDatabase(c, "home", (database) => list(database, c.get("userId"), signUpOf(c.env)));
    if (!found.ok) return refuse(c, found.refusal);
    const { own, mayCreate } = found.value;
    return c.json({ data: [...own], meta: { mayCreate } }, 200);
  },
});

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
    ...withJsonBody(signedInAsMember()),
    request: { body: body(NewWorkspace) },
    responses: {
      ...created("Created", z.object({ data: WorkspaceReply })),
      ...refusals([
        ...writeRefusals,
        ...inputRefusals,
        "oidc_required",
        "no_workspaces",
        "cap_reached",
        ...sessionRefusals,
      ]),
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

const WorkspaceChanges = z
  .object({
    name: fields.omittable(fields.nonBlank("name")),
    requireTwoFactor: fields
      .omittable(z.boolean("requireTwoFactor must be a boolean"))
      .describe(
        "Members without two-factor authentication can then only read. Turning it on requires two-factor authentication yourself.",
      ),
  })
  .openapi("WorkspaceChanges");

export const updateWorkspace = endpoint({
  route: createRoute({
    method: "patch",
    path: "/workspaces/{workspaceId}",
    operationId: "updateWorkspace",
    tags: ["Management"],
    summary: "Update a workspace",
    description:
      "Send only the fields to change. Changing `requireTwoFactor` requires that you signed in or reauthenticated recently.",
    ...reauthenticated(withJsonBody(workspaceMember("owner")), "requireTwoFactor"),
    request: { params: WorkspacePath, body: body(WorkspaceChanges) },
    responses: {
      ...returns("The updated workspace", z.object({ data: WorkspaceReply })),
      ...refusals([...memberWriteRefusals, ...inputRefusals, "reauthenticate"]),
    },
  }),
  handler: async (c) => {
    const changes = c.req.valid("json");
    const updated = await readFromDatabase(c, "home", (database) =>
      update(database, c.get("workspace").id, changes, actorOf(c)),
    );
    if (!updated.ok) return refuse(c, updated.refusal);
    return typeof updated.value === "string"
      ? refuse(c, { code: updated.value })
      : c.json({ data: updated.value }, 200);
  },
});
