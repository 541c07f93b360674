import { body, createRoute, endpoint, returns, refusals, refuse, withJsonBody } from "#http/endpoint.ts";
import * as z from "#http/schema/zod.ts";
import { inputRefusals, memberWriteRefusals, programMember } from "../guards.ts";
import { partnerNote, shortReason } from "../notes.ts";
import { CommissionPath } from "../params.ts";
import { commissionRecord } from "./commission-record.ts";
import { reviewCommission } from "./review-commission.ts";

const Hold = z.object({ reason: shortReason(), partnerNote: partnerNote() }).openapi("Hold");

export const holdCommission = endpoint({
  route: createRoute({
    method: "post",
    path: "/programs/{programId}/commissions/{commissionId}/hold",
    operationId: "holdCommission",
    tags: ["Management"],
    summary: "Hold a commission",
    description:
      "It stays on hold, or is on hold again if its hold has ended, until a member releases, approves or rejects it. Holding it again changes nothing.",
    ...withJsonBody(programMember("admin")),
    request: { params: CommissionPath, body: body(Hold) },
    responses: {
      ...returns("The held commission", z.object({ data: commissionRecord.schema })),
      ...refusals([...memberWriteRefusals, ...inputRefusals, "not_open", "approved_by_person", "reserved"]),
    },
  }),
  handler: async (c) => {
    const review = { action: "hold", ...c.req.valid("json") } as const;
    const held = await reviewCommission(c, c.req.valid("param").commissionId, review);
    return held.ok ? c.json({ data: held.value }, 200) : refuse(c, held.refusal);
  },
});
