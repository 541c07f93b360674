import { readVerdict } from "#api/readiness-verdict.ts";
import { createRoute, endpoint, returns, refusals, refuse } from "#http/endpoint.ts";
import { ReadinessReply } from "../../key/readiness.ts";
import { memberRefusals, programMember } from "../guards.ts";
import { ProgramPath } from "../params.ts";

export const readiness = endpoint({
  route: createRoute({
    method: "get",
    path: "/readiness/{programId}",
    operationId: "getProgramReadiness",
    tags: ["Dashboard"],
    summary: "Get a program's readiness",
    description: "Returns the same object as `/api/v1/programs/me/readiness`.",
    ...programMember("viewer"),
    request: { params: ProgramPath },
    responses: {
      ...returns("Readiness verdict", ReadinessReply),
      ...refusals(memberRefusals),
    },
  }),
  handler: async (c) => {
    const program = c.get("program");
    const call = c.get("call");
    const verdict = await readVerdict(c, program.id, call.at);
    if (!verdict.ok) return refuse(c, verdict.refusal);
    return verdict.value ? c.json(verdict.value, 200) : refuse(c, { code: "not_found", what: "program" });
  },
});
