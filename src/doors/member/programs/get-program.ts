import { createRoute, endpoint, returns, refusals, refuse } from "#http/endpoint.ts";
import * as z from "#http/schema/zod.ts";
import { memberRefusals, programMember } from "../guards.ts";
import { ProgramPath } from "../params.ts";
import { loadProgram } from "./load-program.ts";
import { ProgramWithKeys } from "./program-record.ts";

export const getProgram = endpoint({
  route: createRoute({
    method: "get",
    path: "/programs/{programId}",
    operationId: "getProgram",
    tags: ["Management"],
    summary: "Get a program",
    description: "The program's settings. Owners also get its API keys, without their secrets.",
    ...programMember("viewer"),
    request: { params: ProgramPath },
    responses: {
      ...returns("The program", z.object({ data: ProgramWithKeys })),
      ...refusals(memberRefusals),
    },
  }),
  handler: async (c) => {
    const program = await loadProgram(c, c.get("program").id, c.get("membership").role);
    return program.ok ? c.json({ data: program.value }, 200) : refuse(c, program.refusal);
  },
});
