import { createRoute } from "@hono/zod-openapi";
import { ok } from "../../http/described.ts";
import { endpoint } from "../../http/endpoint.ts";
import { refusals } from "../../http/refusals.ts";
import { refuse } from "../../http/refuse.ts";
import { ofMembers, ofSession } from "../../http/session-refusals.ts";
import { ProgramPath } from "../manage/path.ts";
import { ReadinessReply } from "../programs/readiness.ts";
import { readVerdict } from "../programs/readiness-verdict.ts";
import { programMember } from "../session-access.ts";

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
      ...ok("Readiness verdict", ReadinessReply),
      ...refusals(undefined, [...ofMembers, ...ofSession]),
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
