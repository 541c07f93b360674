import { createRoute } from "@hono/zod-openapi";
import { ok } from "../../http/described.ts";
import { endpoint } from "../../http/endpoint.ts";
import { refusals } from "../../http/refusals.ts";
import { refuse } from "../../http/refuse.ts";
import { ofMembers, ofSession } from "../../http/session-refusals.ts";
import * as z from "../../http/zod.ts";
import { listPolicies as list } from "../../store/programs.ts";
import { fromDatabase } from "../from-database.ts";
import { programMember } from "../session-access.ts";
import { ProgramPath } from "./path.ts";
import { PolicyReply, policyReply } from "./policy.ts";

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
      ...ok("Policy versions, newest first", z.object({ data: z.array(PolicyReply) })),
      ...refusals(undefined, [...ofMembers, ...ofSession]),
    },
  }),
  handler: async (c) => {
    const found = await fromDatabase(c, (database) => list(database, c.get("program").id));
    return found.ok ? c.json({ data: found.value.map(policyReply) }, 200) : refuse(c, found.refusal);
  },
});
