import { readFromDatabase } from "#api/read-database.ts";
import { body, createRoute, endpoint, returns, refusals, refuse, withJsonBody } from "#http/endpoint.ts";
import * as fields from "#http/schema/form-fields.ts";
import * as z from "#http/schema/zod.ts";
import { updateWorkspace as update } from "#store/accounts/workspaces.ts";
import { actorOf } from "../actor.ts";
import { inputRefusals, memberWriteRefusals, reauthenticated, workspaceMember } from "../guards.ts";
import { WorkspacePath } from "../params.ts";
import { WorkspaceReply } from "./workspace-reply.ts";

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
