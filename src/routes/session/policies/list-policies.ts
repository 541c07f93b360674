import { createRoute, endpoint, ok, refusals, refuse } from "../../../http/endpoint.ts";
import * as z from "../../../http/schema/zod.ts";
import { listPolicies as list } from "../../../store/views/policies.ts";
import { readFromDatabase } from "../../read-database.ts";
import { memberRefusals, programMember } from "../guards.ts";
import { ProgramPath } from "../params.ts";
import { PolicyVersion, policyReply } from "./policy-reply.ts";

export const listPolicies = endpoint({
  route: createRoute({
    method: "get",
    path: "/programs/{programId}/commission-policy",
    operationId: "listCommissionPolicies",
    tags: ["Management"],
    summary: "List commission policy versions",
    ...programMember("viewer"),
    request: { params: ProgramPath },
    responses: {
      ...ok("Policy versions, newest first", z.object({ data: z.array(PolicyVersion) })),
      ...refusals(memberRefusals),
    },
  }),
  handler: async (c) => {
    const found = await readFromDatabase(c, (database) => list(database, c.get("program").id));
    if (!found.ok) return refuse(c, found.refusal);
    const data = found.value.map((policy) => ({ ...policyReply(policy), setByName: policy.setByName }));
    return c.json({ data }, 200);
  },
});
