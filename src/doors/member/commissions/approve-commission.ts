import { createRoute, endpoint, returns, refusals, refuse } from "#http/endpoint.ts";
import * as z from "#http/schema/zod.ts";
import { memberWriteRefusals, programMember } from "../guards.ts";
import { CommissionPath } from "../params.ts";
import { commissionRecord } from "./commission-record.ts";
import { decideCommission } from "./decide-commission.ts";

export const approveCommission = endpoint({
  route: createRoute({
    method: "post",
    path: "/programs/{programId}/commissions/{commissionId}/approve",
    operationId: "approveCommission",
    tags: ["Management"],
    summary: "Approve a commission",
    description: "Ends the hold, so that the next payout takes the commission. Approving it again changes nothing.",
    ...programMember("admin"),
    request: { params: CommissionPath },
    responses: {
      ...returns("The approved commission", z.object({ data: commissionRecord.schema })),
      ...refusals([...memberWriteRefusals, "moving", "commission_closed"]),
    },
  }),
  handler: async (c) => {
    const decided = await decideCommission(c, c.req.valid("param").commissionId, "approved");
    return decided.ok ? c.json({ data: decided.value }, 200) : refuse(c, decided.refusal);
  },
});
