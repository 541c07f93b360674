import { createRoute } from "@hono/zod-openapi";
import { body, ok } from "../../../http/content.ts";
import { endpoint } from "../../../http/endpoint.ts";
import { refuse } from "../../../http/refusal/refuse.ts";
import { refusals } from "../../../http/refusal/responses.ts";
import { inputRefusals, memberRefusals, sessionRefusals, writeRefusals } from "../../../http/refusal/session-codes.ts";
import { refuseInvalid } from "../../../http/refusal/validation.ts";
import * as fields from "../../../http/schema/form-fields.ts";
import * as z from "../../../http/schema/zod.ts";
import { programMemberAndBody } from "../guards.ts";
import { CommissionPath } from "../params.ts";
import { CommissionReply } from "./commission-reply.ts";
import { decideCommission } from "./decide-commission.ts";

const Rejection = z
  .object({ reason: fields.filled("reason").describe("Recorded in the audit log.") })
  .openapi("Rejection");

export const rejectCommission = endpoint({
  route: createRoute({
    method: "post",
    path: "/programs/{programId}/commissions/{commissionId}/reject",
    operationId: "rejectCommission",
    tags: ["Management"],
    summary: "Reject a commission",
    ...programMemberAndBody("admin"),
    request: { params: CommissionPath, body: body(Rejection) },
    responses: {
      ...ok("The rejected commission", z.object({ data: CommissionReply })),
      ...refusals(undefined, [
        ...writeRefusals,
        ...memberRefusals,
        ...inputRefusals,
        "state_conflict",
        ...sessionRefusals,
      ]),
    },
  }),
  hook: refuseInvalid(Rejection),
  handler: async (c) => {
    const { reason } = c.req.valid("json");
    const decided = await decideCommission(c, c.req.valid("param").commissionId, "rejected", reason);
    return decided.ok ? c.json({ data: decided.value }, 200) : refuse(c, decided.refusal);
  },
});
