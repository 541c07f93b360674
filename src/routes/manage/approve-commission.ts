import { createRoute } from "@hono/zod-openapi";
import { ok } from "../../http/described.ts";
import { endpoint } from "../../http/endpoint.ts";
import { refusals } from "../../http/refusals.ts";
import { refuse } from "../../http/refuse.ts";
import { ofMembers, ofSession, ofWrite } from "../../http/session-refusals.ts";
import * as z from "../../http/zod.ts";
import { programMember } from "../session-access.ts";
import { CommissionReply } from "./commission.ts";
import { decideCommission } from "./decide-commission.ts";
import { CommissionPath } from "./path.ts";

export const approveCommission = endpoint({
  route: createRoute({
    method: "post",
    path: "/programs/{programId}/commissions/{commissionId}/approve",
    operationId: "approveCommission",
    tags: ["Management"],
    summary: "Approve a commission",
    ...programMember("admin"),
    request: { params: CommissionPath },
    responses: {
      ...ok("The approved commission", z.object({ data: CommissionReply })),
      ...refusals(undefined, [...ofWrite, ...ofMembers, "state_conflict", ...ofSession]),
    },
  }),
  handler: async (c) => {
    const decided = await decideCommission(c, c.req.valid("param").commissionId, "approved");
    return decided.ok ? c.json({ data: decided.value }, 200) : refuse(c, decided.refusal);
  },
});
