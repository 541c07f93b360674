import { callLedger } from "../../../http/call-ledger.ts";
import { body, createRoute, endpoint, refusals, refuse, refuseInvalid, withJsonBody } from "../../../http/endpoint.ts";
import { readId } from "../../../http/schema/id.ts";
import * as z from "../../../http/schema/zod.ts";
import { actingMember } from "../actor.ts";
import { inputRefusals, memberWriteRefusals, programMember } from "../guards.ts";
import { PayoutPath } from "../params.ts";
import { payoutWithLines, whyStillDraft } from "./payout-reply.ts";
import { finishFreeing, settlePayout } from "./process-payout.ts";
import { changedUntil, expectedTotalCents, includeChanged, includedUntil, processed } from "./request.ts";

const Finalization = z.object({ expectedTotalCents, includeChanged, changedUntil }).openapi("PayoutFinalization");

export const finalizePayout = endpoint({
  route: createRoute({
    method: "post",
    path: "/programs/{programId}/payouts/{payoutId}/finalize",
    operationId: "finalizePayout",
    tags: ["Payouts"],
    summary: "Finalize a payout",
    description:
      "Computes the lines again and reserves their commissions. From then on, the amounts never change. " +
      "If the total isn't `expectedTotalCents`, the payout stays a draft, with the new lines and their `changes`.",
    ...withJsonBody(programMember("admin")),
    request: { params: PayoutPath, body: body(Finalization) },
    responses: {
      ...processed("The final payout"),
      ...refusals([
        ...memberWriteRefusals,
        ...inputRefusals,
        "total_differs",
        "all_left_out",
        "busy",
        "state_conflict",
      ]),
    },
  }),
  hook: refuseInvalid(Finalization),
  handler: async (c) => {
    const payoutId = readId(c.req.valid("param").payoutId);
    if (payoutId === undefined) return refuse(c, { code: "not_found", what: "payout" });
    const expected = c.req.valid("json");
    const finalize = {
      ...actingMember(c),
      kind: "finalize-payout",
      payoutId,
      expectedTotalCents: expected.expectedTotalCents,
      includesChangedUntil: includedUntil(expected, c.get("call").at),
    } as const;
    const freed = await finishFreeing(c, finalize.programId);
    if (!freed.ok) return refuse(c, freed.refusal);
    const begun = await callLedger(c, finalize, (ledger) => ledger.change("finalize-payout", finalize));
    if (!begun.ok) return refuse(c, begun.refusal);
    const found = await settlePayout(c, begun.answer.payout);
    if (!found.ok) return refuse(c, found.refusal);
    const { payout } = found.value;
    if (payout.status === "draft") return refuse(c, whyStillDraft(found.value));
    return c.json({ data: payoutWithLines(found.value, true) }, payout.status === "finalizing" ? 202 : 200);
  },
});
