import { createRoute } from "@hono/zod-openapi";
import { readiness as judge } from "../../domain/readiness.ts";
import { ok } from "../../http/described.ts";
import { endpoint } from "../../http/endpoint.ts";
import { refusals } from "../../http/refusals.ts";
import { refuse } from "../../http/refuse.ts";
import { ofMembers, ofSession } from "../../http/session-refusals.ts";
import { readReadinessFacts } from "../../store/readiness.ts";
import { fromDatabase } from "../from-database.ts";
import { ProgramPath } from "../manage/path.ts";
import { ReadinessReply, readinessReply } from "../programs/readiness.ts";
import { programMember } from "../session-access.ts";

export const readiness = endpoint({
  route: createRoute({
    method: "get",
    path: "/readiness/{programId}",
    operationId: "getProgramReadiness",
    tags: ["Dashboard"],
    summary: "How far a program is from paying its partners",
    description: "What the program's key is told by /api/v1/programs/me/readiness.",
    ...programMember("viewer"),
    request: { params: ProgramPath },
    responses: {
      ...ok("The verdict", ReadinessReply),
      ...refusals(undefined, [...ofMembers, ...ofSession]),
    },
  }),
  handler: async (c) => {
    const { program, call } = c.var;
    const facts = await fromDatabase(c, (database) => readReadinessFacts(database, program.id, call.at));
    if (!facts.ok) return refuse(c, facts.refusal);
    if (facts.value === undefined) return refuse(c, { code: "not_found", what: "program" });
    return c.json(readinessReply(judge(facts.value, call.at)), 200);
  },
});
