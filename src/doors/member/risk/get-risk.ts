import { readFromDatabase } from "#api/read-database.ts";
import { createRoute, endpoint, returns, refusals, refuse } from "#http/endpoint.ts";
import * as z from "#http/schema/zod.ts";
import { readProgram } from "#store/views/programs.ts";
import { memberRefusals, programMember } from "../guards.ts";
import { ProgramPath } from "../params.ts";
import { Risk, riskReply } from "./risk-record.ts";

export const getRisk = endpoint({
  route: createRoute({
    method: "get",
    path: "/programs/{programId}/risk",
    operationId: "getRisk",
    tags: ["Management"],
    summary: "Get what makes a commission suspicious",
    description: "By default each signal holds the commission, and no host is blocked.",
    ...programMember("viewer"),
    request: { params: ProgramPath },
    responses: {
      ...returns("The settings", z.object({ data: Risk })),
      ...refusals(memberRefusals),
    },
  }),
  handler: async (c) => {
    const { id } = c.get("program");
    const found = await readFromDatabase(c, "program", (database) => readProgram(database, id));
    if (!found.ok) return refuse(c, found.refusal);
    const { program } = found.value;
    if (program === undefined) return refuse(c, { code: "not_found", what: "program" });
    return c.json({ data: riskReply(program) }, 200);
  },
});
