import { createRoute } from "@hono/zod-openapi";
import { ok } from "../../../http/content.ts";
import { endpoint } from "../../../http/endpoint.ts";
import { refuse } from "../../../http/refusal/refuse.ts";
import { refusals } from "../../../http/refusal/responses.ts";
import { memberRefusals, sessionRefusals } from "../../../http/refusal/session-codes.ts";
import * as z from "../../../http/schema/zod.ts";
import { programMember } from "../guards.ts";
import { ProgramPath } from "../params.ts";
import { ProgramWithKeys } from "./program-reply.ts";
import { showProgram } from "./show-program.ts";

export const getProgram = endpoint({
  route: createRoute({
    method: "get",
    path: "/programs/{programId}",
    operationId: "getProgram",
    tags: ["Management"],
    summary: "Get a program",
    ...programMember("viewer"),
    request: { params: ProgramPath },
    responses: {
      ...ok("The program", z.object({ data: ProgramWithKeys })),
      ...refusals(undefined, [...memberRefusals, ...sessionRefusals]),
    },
  }),
  handler: async (c) => {
    const shown = await showProgram(c, c.get("program").id, c.get("membership").role);
    return shown.ok ? c.json({ data: shown.value }, 200) : refuse(c, shown.refusal);
  },
});
