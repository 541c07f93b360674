import { runOperation } from "#http/call-ledger.ts";
import { body, createRoute, endpoint, returns, refusals, refuse, withJsonBody } from "#http/endpoint.ts";
import * as z from "#http/schema/zod.ts";
import { actingMember } from "../actor.ts";
import { inputRefusals, memberWriteRefusals, programMember } from "../guards.ts";
import { ProgramPath } from "../params.ts";
import { NewPolicy, policyTerms } from "./new-policy.ts";
import { policyRecord } from "./policy-record.ts";

export const setPolicy = endpoint({
  route: createRoute({
    method: "put",
    path: "/programs/{programId}/commission-policy",
    operationId: "setCommissionPolicy",
    tags: ["Management"],
    summary: "Set the commission policy",
    description:
      "Creates a new version, in force from now on. Existing commissions keep the version that created them. With the terms of the latest version, nothing changes: the answer is that version. The program, each group and each partner can have 1,000 versions; after that, a policy can only be ended.",
    ...withJsonBody(programMember("admin")),
    request: { params: ProgramPath, body: body(NewPolicy) },
    responses: {
      ...returns("The policy now in force", z.object({ data: policyRecord.schema })),
      ...refusals([...memberWriteRefusals, ...inputRefusals, "program_archived", "too_many_versions"]),
    },
  }),
  handler: async (c) => {
    const policy = policyTerms(c.req.valid("json"), c.get("program").currency);
    const set = { ...actingMember(c), kind: "set-policy", policy } as const;
    const outcome = await runOperation(c, set);
    if (!outcome.ok) return refuse(c, outcome.refusal);
    return c.json({ data: policyRecord.reply({ ...policy, ...outcome.answer }) }, 200);
  },
});
