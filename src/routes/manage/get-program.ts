import { createRoute } from "@hono/zod-openapi";
import { ok } from "../../http/described.ts";
import { endpoint } from "../../http/endpoint.ts";
import { refusals } from "../../http/refusals.ts";
import { refuse } from "../../http/refuse.ts";
import { ofMembers, ofSession } from "../../http/session-refusals.ts";
import * as z from "../../http/zod.ts";
import { programMember } from "../session-access.ts";
import { ProgramPath } from "./path.ts";
import { ProgramWithKeys } from "./program.ts";
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
      ...refusals(undefined, [...ofMembers, ...ofSession]),
    },
  }),
  handler: async (c) => {
    const shown = await showProgram(c, c.get("program").id, c.get("membership").role);
    return shown.ok ? c.json({ data: shown.value }, 200) : refuse(c, shown.refusal);
  },
});
