import { callLedger } from "#http/call-ledger.ts";
import { body, createRoute, endpoint, ok, refusals, refuse, withJsonBody } from "#http/endpoint.ts";
import { readId } from "#http/schema/id.ts";
import * as z from "#http/schema/zod.ts";
import { actingMember } from "../actor.ts";
import { inputRefusals, memberWriteRefusals, programMember } from "../guards.ts";
import { partnerNote, reason } from "../notes.ts";
import { PayoutLinePath } from "../params.ts";
import { loadChanged } from "./load-payout.ts";
import { PayoutWithLines, payoutWithLines } from "./payout-record.ts";

const Failure = z.object({ reason: reason(), partnerNote: partnerNote() }).openapi("PayoutLineFailure");

export const failPayoutLine = endpoint({
  route: createRoute({
    method: "post",
    path: "/programs/{programId}/payouts/{payoutId}/lines/{partnerId}/fail",
    operationId: "failPayoutLine",
    tags: ["Payouts"],
    summary: "Mark a line as failed",
    description: "For a payment that came back. The line's commissions can be paid by another payout.",
    ...withJsonBody(programMember("admin")),
    request: { params: PayoutLinePath, body: body(Failure) },
    responses: {
      ...ok("The payout", z.object({ data: PayoutWithLines })),
      ...refusals([...memberWriteRefusals, ...inputRefusals, "payout_not_paid"]),
    },
  }),
  handler: async (c) => {
    const path = c.req.valid("param");
    const payoutId = readId(path.payoutId);
    const partnerId = readId(path.partnerId);
    if (payoutId === undefined) return refuse(c, { code: "not_found", what: "payout" });
    if (partnerId === undefined) return refuse(c, { code: "not_found", what: "line" });
    const { reason, partnerNote } = c.req.valid("json");
    const texts = { reason, partnerNote };
    const fail = { ...actingMember(c), kind: "fail-line", payoutId, partnerId, ...texts } as const;
    const failed = await callLedger(c, fail, (ledger) => ledger.run(fail));
    if (!failed.ok) return refuse(c, failed.refusal);
    const found = await loadChanged(c, failed.answer.payout);
    return found.ok ? c.json({ data: payoutWithLines(found.value, true) }, 200) : refuse(c, found.refusal);
  },
});
