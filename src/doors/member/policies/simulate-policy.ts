import { body, createRoute, endpoint, refusals, refuse, refuseInvalid, withJsonBody } from "#http/endpoint.ts";
import * as fields from "#http/schema/form-fields.ts";
import { id, int64 } from "#http/schema/integers.ts";
import { record, sum } from "#http/schema/record.ts";
import * as z from "#http/schema/zod.ts";
import { jsonStream } from "#http/text-stream.ts";
import { inputRefusals, memberWriteRefusals, programMember } from "../guards.ts";
import { ProgramPath } from "../params.ts";
import { day, inOrder } from "../reports/query.ts";
import { NewPolicy, policyTerms } from "./new-policy.ts";
import { openSimulation, simulationLines } from "./simulation.ts";

const PolicyVersion = z
  .strictObject({
    version: fields
      .integer("version", 1, Number.MAX_SAFE_INTEGER)
      .describe("Version whose terms apply, in the place of its owner."),
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
    .describe("A policy as you would set it, for the program, a group or a partner, or a version."),
).openapi("NewSimulation");
const byVersion = simulationOf(PolicyVersion);
const byTerms = simulationOf(NewPolicy);

const totalFields = {
  currency: z.string(),
  sales: int64().describe("Number of sales, including those whose commission was rejected."),
  wasCents: sum("Sum of what is left of their commissions, in the currency's smallest unit. Rejected ones count as 0."),
  wouldBeCents: sum("What would be left of them by the simulated policy."),
};
const totalRecord = record("SimulatedTotal", totalFields);
const rowRecord = record("SimulatedRow", {
  month: z.string().openapi({ example: "2026-03" }).describe("Of the sale, in the program's time zone."),
  partnerId: id(),
  ...totalFields,
});

const Line = z
  .union([
    z.object({ progress: z.object({ sales: int64().describe("Number of sales simulated so far.") }) }),
    z.object({ result: z.object({ rows: z.array(rowRecord.schema), totals: z.array(totalRecord.schema) }) }),
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
      "Computes what the live, attributed sales of some days would have earned, had this policy been in force in the " +
      "place of its owner's. Changes nothing. The reply has one JSON value a line: `progress` while it is computed, and " +
      "in the end `result`, or `error`.",
    ...withJsonBody(programMember("admin")),
    request: { params: ProgramPath, body: body(NewSimulation) },
    responses: {
      200: { description: "Progress, then the result", content: { "application/jsonl": { schema: Line } } },
      ...refusals([...memberWriteRefusals, ...inputRefusals, "too_many_sales", "simulation_running"]),
    },
  }),
  /** By the one of the policy's two forms that was meant. */
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
    const simulated = "version" in policy ? policy : policyTerms(policy, program.currency);
    const asked = { programId: program.id, userId: c.get("userId") };
    const opened = await openSimulation(c, asked, simulated, { from, to });
    if (!opened.ok) return refuse(c, opened.refusal);
    const lines = simulationLines(c, opened.value, { row: rowRecord.reply, total: totalRecord.reply });
    return jsonStream<z.output<typeof Line>>(c, lines, { "Content-Type": "application/jsonl" });
  },
});
