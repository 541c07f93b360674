import { createRoute, endpoint, returns, refusals, refuse } from "#http/endpoint.ts";
import * as fields from "#http/schema/form-fields.ts";
import { readId } from "#http/schema/id.ts";
import * as z from "#http/schema/zod.ts";
import { actingMember } from "../actor.ts";
import { memberWriteRefusals, programMember } from "../guards.ts";
import { PayoutPath } from "../params.ts";
import { ChangedPayout, changePayout } from "./change-payout.ts";
import { acknowledgedAt, restoreAcknowledged } from "./request.ts";

const Query = z.object({
  expectedStatus: fields
    .optional(fields.oneOf("expectedStatus", ["draft", "final"]))
    .describe("The status that you have seen. A payout with another one isn't canceled."),
  restoreAcknowledged,
});

export const cancelPayout = endpoint({
  route: createRoute({
    method: "post",
    path: "/programs/{programId}/payouts/{payoutId}/cancel",
    operationId: "cancelPayout",
    tags: ["Payouts"],
    summary: "Cancel a payout",
    description: "Cancels a draft or a final payout. Its commissions can be paid by another payout.",
    ...programMember("admin"),
    request: { params: PayoutPath, query: Query },
    responses: {
      ...returns("The canceled payout", ChangedPayout),
      ...refusals([...memberWriteRefusals, "invalid_input", "restored", "payout_closed", "payout_changed"]),
    },
  }),
  handler: async (c) => {
    const payoutId = readId(c.req.valid("param").payoutId);
    if (payoutId === undefined) return refuse(c, { code: "not_found", what: "payout" });
    const { expectedStatus, ...query } = c.req.valid("query");
    const acknowledged = { restoreAcknowledged: acknowledgedAt(query.restoreAcknowledged) };
    const cancel = { ...actingMember(c), kind: "cancel-payout", payoutId, expectedStatus, ...acknowledged } as const;
    const canceled = await changePayout(c, cancel);
    return canceled.ok ? c.json(canceled.value, 200) : refuse(c, canceled.refusal);
  },
});
