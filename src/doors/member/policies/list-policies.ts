import { readFromDatabase } from "#api/read-database.ts";
import { withNames } from "#api/with-names.ts";
import { home } from "#domain/shard.ts";
import { createRoute, endpoint, returns, refusals, refuse } from "#http/endpoint.ts";
import { idCursor, newest, PageMeta } from "#http/schema/cursor.ts";
import * as fields from "#http/schema/form-fields.ts";
import { int64 } from "#http/schema/integers.ts";
import * as z from "#http/schema/zod.ts";
import { listPolicies as list } from "#store/views/policies.ts";
import { memberRefusals, programMember } from "../guards.ts";
import { ProgramPath } from "../params.ts";
import { groupId, partnerId } from "../reports/query.ts";
import { policyRecord, policyVersionRecord } from "./policy-record.ts";

const defaultLimit = 50;
const maxLimit = 200;

const cursors = idCursor("commission policies");

const Query = z.object({
  partnerId: partnerId(),
  groupId: groupId(),
  limit: fields
    .integerText("limit", 1, maxLimit)
    .optional()
    .describe(`Versions per page. Defaults to ${defaultLimit}.`),
  cursor: cursors.parameter(),
});

const PolicyMeta = PageMeta.extend({
  current: policyRecord.schema
    .nullable()
    .describe("The latest version of the program's policy. Null if there is none."),
  customPartners: int64().describe("Number of partners with a policy of their own in force."),
});

export const listPolicies = endpoint({
  route: createRoute({
    method: "get",
    path: "/programs/{programId}/commission-policy",
    operationId: "listCommissionPolicies",
    tags: ["Management"],
    summary: "List commission policy versions",
    description:
      "Every version of the policies of the program, its groups and single partners. The latest version of each is in force.",
    ...programMember("viewer"),
    request: { params: ProgramPath, query: Query },
    responses: {
      ...returns("Policy versions, newest first", z.object({ data: z.array(policyVersionRecord.schema), meta: PolicyMeta })),
      ...refusals([...memberRefusals, "invalid_input"]),
    },
  }),
  handler: async (c) => {
    const { partnerId, groupId, limit = defaultLimit, cursor: { id: before } = newest } = c.req.valid("query");
    const program = c.get("program");
    const read = await readFromDatabase(c, "program", (database) =>
      list(database, program.id, { partnerId, groupId, before, limit: limit + 1, isHome: program.shard === home }),
    );
    if (!read.ok) return refuse(c, read.refusal);
    const { found, current, customPartners } = read.value;
    const named = await withNames(c, found, "setByName", "setByName");
    if (!named.ok) return refuse(c, named.refusal);
    const { page, meta } = cursors.pageOf(named.value, limit, ({ version: id }) => ({ id }));
    return c.json(
      {
        data: page.map(policyVersionRecord.reply),
        meta: { ...meta, current: current === undefined ? null : policyRecord.reply(current), customPartners },
      },
      200,
    );
  },
});
