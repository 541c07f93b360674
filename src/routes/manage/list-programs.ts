import { createRoute } from "@hono/zod-openapi";
import { ok } from "../../http/described.ts";
import { endpoint } from "../../http/endpoint.ts";
import { refuseFaults } from "../../http/faults.ts";
import * as fields from "../../http/fields.ts";
import { refusals } from "../../http/refusals.ts";
import { refuse } from "../../http/refuse.ts";
import { ofMembers, ofSession } from "../../http/session-refusals.ts";
import * as z from "../../http/zod.ts";
import { listPrograms as list } from "../../store/programs.ts";
import { fromDatabase } from "../from-database.ts";
import { memberOfWorkspaceInQuery } from "../session-access.ts";
import { ProgramReply, programReply } from "./program.ts";

const Query = z.object({
  workspaceId: fields.filled("workspaceId"),
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
    ...memberOfWorkspaceInQuery("viewer"),
    request: { query: Query },
    responses: {
      ...ok("Programs, oldest first", z.object({ data: z.array(ProgramReply) })),
      ...refusals(undefined, [...ofMembers, "invalid_input", ...ofSession]),
    },
  }),
  hook: refuseFaults(Query),
  handler: async (c) => {
    const { archived } = c.req.valid("query");
    const found = await fromDatabase(c, (database) => list(database, c.get("workspace").id, archived === "true"));
    return found.ok ? c.json({ data: found.value.map(programReply) }, 200) : refuse(c, found.refusal);
  },
});
