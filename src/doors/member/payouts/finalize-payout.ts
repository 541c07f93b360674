import { body, createRoute, endpoint, returns, refusals, refuse, withJsonBody } from "#http/endpoint.ts";
import { readId } from "#http/schema/id.ts";
import * as z from "#http/schema/zod.ts";
import { actingMember } from "../actor.ts";
import { inputRefusals, memberWriteRefusals, programMember, reauthenticated } from "../guards.ts";
import { PayoutPath } from "../params.ts";
import { ChangedPayout, changePayout } from "./change-payout.ts";
import { finalizationFields, finalizationOf, saysWhichChanged } from "./request.ts";

const Finalization = z
  .object(finalizationFields)
  .refine(...saysWhichChanged)
  .openapi("PayoutFinalization");

export const finalizePayout = endpoint({
  route: createRoute({
    method: "post",
    path: "/programs/{programId}/payouts/{payoutId}/finalize",
    operationId: "finalizePayout",
    tags: ["Payouts"],
    summary: "Finalize a payout",
    description:
      "Computes the lines again, up to the draft's `until`, and reserves their commissions. From then on, the amounts " +
      "never change. If the total isn't `expectedTotalCents`, nothing is reserved, and the refusal has the `changes`.",
    ...reauthenticated(withJsonBody(programMember("admin"))),
    request: { params: PayoutPath, body: body(Finalization) },
    responses: {
      ...returns("The final payout", ChangedPayout),
      ...refusals([
        "reauthenticate",
        ...memberWriteRefusals,
        ...inputRefusals,
        "restored",
        "total_differs",
        "all_left_out",
        "payout_closed",
      ]),
    },
  }),
  handler: async (c) => {
    const payoutId = readId(c.req.valid("param").payoutId);
    if (payoutId === undefined) return refuse(c, { code: "not_found", what: "payout" });
    const finalize = {
      ...actingMember(c),
      kind: "finalize-payout",
      payoutId,
      ...finalizationOf(c.req.valid("json"), c.get("call").at),
    } as const;
    const finalized = await changePayout(c, finalize);
    return finalized.ok ? c.json(finalized.value, 200) : refuse(c, finalized.refusal);
  },
});
