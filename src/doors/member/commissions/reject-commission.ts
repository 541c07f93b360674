import { body, createRoute, endpoint, returns, refusals, refuse, withJsonBody } from "#http/endpoint.ts";
import * as z from "#http/schema/zod.ts";
import { inputRefusals, memberWriteRefusals, programMember } from "../guards.ts";
import { partnerNote, reason } from "../notes.ts";
import { CommissionPath } from "../params.ts";
import { commissionRecord } from "./commission-record.ts";
import { decideCommission } from "./decide-commission.ts";

const Rejection = z.object({ reason: reason(), partnerNote: partnerNote() }).openapi("Rejection");

export const rejectCommission = endpoint({
  route: createRoute({
    method: "post",
    path: "/programs/{programId}/commissions/{commissionId}/reject",
    operationId: "rejectCommission",
    tags: ["Management"],
    summary: "Reject a commission",
    description:
      "The commission pays nothing from then on. Possible until a payout reserves it. Rejecting it again changes nothing; rejecting can't be undone.",
    ...withJsonBody(programMember("admin")),
    request: { params: CommissionPath, body: body(Rejection) },
    responses: {
      ...returns("The rejected commission", z.object({ data: commissionRecord.schema })),
      ...refusals([...memberWriteRefusals, ...inputRefusals, "moving", "commission_closed"]),
    },
  }),
  handler: async (c) => {
    const texts = c.req.valid("json");
    const decided = await decideCommission(c, c.req.valid("param").commissionId, "rejected", texts);
    return decided.ok ? c.json({ data: decided.value }, 200) : refuse(c, decided.refusal);
  },
});
