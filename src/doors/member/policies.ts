import { day, groupId, inOrder, partnerId } from "#api/period.ts";
import { NewPolicy, policyRecord, policyTerms, policyVersionRecord } from "#api/policies.ts";
import { readFromDatabase } from "#api/read-database.ts";
import { openSimulation, simulationLines } from "#api/simulation.ts";
import { unitsOf } from "#api/units.ts";
import { withNames } from "#api/with-names.ts";
import { home } from "#domain/shard.ts";
import { runOperation } from "#http/call-ledger.ts";
import { body, createRoute, endpoint, refusals, refuse, refuseInvalid, returns, withJsonBody } from "#http/endpoint.ts";
import { idCursor, newest, PageMeta } from "#http/schema/cursor.ts";
import * as fields from "#http/schema/form-fields.ts";
import { id, int64 } from "#http/schema/integers.ts";
import { record, sum } from "#http/schema/record.ts";
import * as z from "#http/schema/zod.ts";
import { jsonStream } from "#http/text-stream.ts";
import { listPolicies as list } from "#store/views/policies.ts";
import { actingMember } from "./actor.ts";
import { inputRefusals, memberRefusals, memberWriteRefusals, programMember } from "./guards.ts";
import { ProgramPath } from "./params.ts";
import { proposable, proposableRefusals } from "./proposed.ts";

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
  customPartners: int64().describe("Number of partners who have their own policy in force."),
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
      ...returns(
        "Policy versions, newest first",
        z.object({ data: z.array(policyVersionRecord.schema), meta: PolicyMeta }),
      ),
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

export const setPolicy = endpoint({
  route: createRoute({
    method: "put",
    path: "/programs/{programId}/commission-policy",
    operationId: "setCommissionPolicy",
    tags: ["Management"],
    summary: "Set the commission policy",
    description:
      "Creates a new version, in force from now on. Existing commissions keep the version that created them. With the same terms as the latest version, nothing changes and that version is returned. The program, each group and each partner can have 1,000 versions; after that, a policy can only be ended.",
    ...proposable(withJsonBody(programMember("admin"))),
    request: { params: ProgramPath, body: body(NewPolicy) },
    responses: {
      ...returns("The policy now in force", z.object({ data: policyRecord.schema })),
      ...refusals([...proposableRefusals, "program_archived", "too_many_versions"]),
    },
  }),
  handler: async (c) => {
    const sent = c.req.valid("json");
    const { id, currency } = c.get("program");
    const units = await unitsOf(c, id, sent.unit, "unit");
    if (!units.ok) return refuse(c, units.refusal);
    const policy = policyTerms(sent, { currency, units: units.value });
    const set = { ...actingMember(c), kind: "set-policy", policy } as const;
    const outcome = await runOperation(c, set);
    if (!outcome.ok) return refuse(c, outcome.refusal);
    return c.json({ data: policyRecord.reply({ ...policy, ...outcome.answer }) }, 200);
  },
});

const PolicyVersion = z
  .strictObject({
    version: fields
      .integer("version", 1, Number.MAX_SAFE_INTEGER)
      .describe("Existing version to simulate, for the program, group or partner that it was set for."),
  })
  .openapi("SimulatedVersion");

const simulationOf = <Policy extends z.ZodType>(policy: Policy) =>
  z
    .object({
      policy,
      from: day("from").describe("First day, in the program's time zone."),
      to: day("to").describe("Last day, in the program's time zone."),
    })
    .refine(...inOrder("from", "to"));

const NewSimulation = simulationOf(
  z
    .union([PolicyVersion, NewPolicy])
    .describe("A new policy for the program, a group or a partner, or an existing version."),
).openapi("NewSimulation");
const byVersion = simulationOf(PolicyVersion);
const byTerms = simulationOf(NewPolicy);

const totalFields = {
  currency: z.string(),
  sales: int64().describe("Number of sales, including those whose commission was rejected."),
  wasCents: sum("Sum of the sales' remaining commissions, in the currency's smallest unit. Rejected ones count as 0."),
  todayCents: sum(
    "Sum of the commissions that would remain under the policy in force today for the same program, group or partner. `wouldBeCents` minus `todayCents` is the effect of this change alone.",
  ),
  wouldBeCents: sum("Sum of the commissions that would remain under the simulated policy."),
};
const totalRecord = record("SimulatedTotal", totalFields);
const rowRecord = record("SimulatedRow", {
  month: z.string().openapi({ example: "2026-03" }).describe("Month of the sale, in the program's time zone."),
  partnerId: id(),
  ...totalFields,
});

const Line = z
  .union([
    z.object({ progress: z.object({ sales: int64().describe("Number of sales simulated so far.") }) }),
    z.object({
      result: z.object({
        rows: z.array(rowRecord.schema),
        totals: z.array(totalRecord.schema),
        recalculatedSales: int64().describe(
          "Number of sales that the policy of this program, group or partner decides. The other sales keep their commissions, for example those from before a partner joined the group.",
        ),
        unsoldProducts: z
          .array(z.string())
          .describe("Products that a rule names, but that none of the sales contains."),
        soldProducts: z
          .array(z.string())
          .describe("If there are `unsoldProducts`: the 20 products with the most of these sales."),
      }),
    }),
    z.object({ error: z.object({ code: z.string(), message: z.string() }) }),
  ])
  .openapi("SimulationLine");

export const simulatePolicy = endpoint({
  route: createRoute({
    method: "post",
    path: "/programs/{programId}/commission-policy/simulate",
    operationId: "simulateCommissionPolicy",
    tags: ["Management"],
    summary: "Simulate a commission policy",
    description:
      "Computes what the live, attributed sales of a range of days would have earned under this policy, instead of the one in force for the same program, group or partner. " +
      "Changes nothing. The response has one JSON value per line: `progress` during the computation, then `result` or `error`.",
    ...withJsonBody(programMember("admin")),
    request: { params: ProgramPath, body: body(NewSimulation) },
    responses: {
      200: { description: "Progress, then the result", content: { "application/jsonl": { schema: Line } } },
      ...refusals([...memberWriteRefusals, ...inputRefusals, "too_many_sales", "simulation_running"]),
    },
  }),
  /**
   * The body has either the version of an existing policy or the terms of a new one. Reports the errors for the form
   * that the caller seems to mean.
   */
  hook: (result, c) => {
    if (result.success) return undefined;
    const sent = c.get("body");
    const isVersion = typeof sent?.policy === "object" && sent.policy !== null && "version" in sent.policy;
    const meant = isVersion ? byVersion : byTerms;
    return refuseInvalid(meant)(meant.safeParse(sent), c);
  },
  handler: async (c) => {
    const { policy, from, to } = c.req.valid("json");
    const program = c.get("program");
    const { currency } = program;
    const units = await unitsOf(c, program.id, "version" in policy ? null : policy.unit, "unit");
    if (!units.ok) return refuse(c, units.refusal);
    const simulated = "version" in policy ? policy : policyTerms(policy, { currency, units: units.value });
    const asked = { kind: "simulation", programId: program.id, userId: c.get("userId") } as const;
    const opened = await openSimulation(c, asked, simulated, { from, to, currency: program.currency });
    if (!opened.ok) return refuse(c, opened.refusal);
    const lines = simulationLines(c, opened.value, { row: rowRecord.reply, total: totalRecord.reply });
    return jsonStream<z.output<typeof Line>>(c, lines, { "Content-Type": "application/jsonl" });
  },
});
