import { readFromShards } from "#api/read-database.ts";
import { createRoute, endpoint, returns, refusals, refuse } from "#http/endpoint.ts";
import * as fields from "#http/schema/form-fields.ts";
import * as z from "#http/schema/zod.ts";
import { listPrograms as list } from "#store/views/programs.ts";
import { memberOfWorkspaceInQuery, memberRefusals } from "../guards.ts";
import { programRecord, programReply } from "./program-record.ts";

const Query = z.object({
  workspaceId: fields.nonBlank("workspaceId"),
  archived: fields
    .oneOf("archived", ["true", "false"])
    .optional()
    .openapi({ description: "`true` includes archived programs. Defaults to `false`." }),
});

export const listPrograms = endpoint({
  route: createRoute({
    method: "get",
    path: "/programs",
    operationId: "listPrograms",
    tags: ["Management"],
    summary: "List a workspace's programs",
    description: "All programs of one workspace, without archived ones unless `archived` is `true`.",
    ...memberOfWorkspaceInQuery("viewer"),
    request: { query: Query },
    responses: {
      ...returns("Programs, oldest first", z.object({ data: z.array(programRecord.schema) })),
      ...refusals([...memberRefusals, "invalid_input"]),
    },
  }),
  handler: async (c) => {
    const { archived } = c.req.valid("query");
    const { role } = c.get("membership");
    const found = await readFromShards(c, (databaseOf) => list(databaseOf, c.get("workspace").id, archived === "true"));
    if (!found.ok) return refuse(c, found.refusal);
    return c.json({ data: found.value.map((program) => programReply(program, role)) }, 200);
  },
});
