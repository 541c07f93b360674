import type { Result } from "../../../domain/result.ts";
import { callLedger } from "../../../http/call-ledger.ts";
import type { Ctx } from "../../../http/context.ts";
import { body, createRoute, endpoint, refusals, refuse, refuseInvalid, withJsonBody } from "../../../http/endpoint.ts";
import { instantErrors } from "../../../http/refusal/validation.ts";
import * as fields from "../../../http/schema/form-fields.ts";
import { readId } from "../../../http/schema/id.ts";
import { parseTimestamp } from "../../../http/schema/timestamp.ts";
import * as z from "../../../http/schema/zod.ts";
import type { ConfirmPayoutCall } from "../../../operations/payouts/confirm-payout.ts";
import type { PayoutView } from "../../../store/views/payouts.ts";
import { actingMember } from "../actor.ts";
import { inputRefusals, memberWriteRefusals, programMember } from "../guards.ts";
import { PayoutPath } from "../params.ts";
import { payoutWithLines, whyStillDraft } from "./payout-reply.ts";
import { settlePayout } from "./process-payout.ts";
import { changedUntil, expectedTotalCents, includeChanged, includedUntil, processed } from "./request.ts";

const maxNote = 1_000;
const maxAgeDays = 400;

const Confirmation = z
  .object({
    paidAt: fields
      .optional(fields.instant("paidAt"))
      .describe(
        `When the money was sent, at most ${maxAgeDays} days ago. Defaults to now; up to 5 minutes ahead counts as now.`,
      ),
    note: fields.optionalText(fields.text("note", maxNote)),
    expectedTotalCents,
    includeChanged,
    changedUntil,
  })
  .openapi("PayoutConfirmation");

export const confirmPayout = endpoint({
  route: createRoute({
    method: "post",
    path: "/programs/{programId}/payouts/{payoutId}/confirm",
    operationId: "confirmPayout",
    tags: ["Payouts"],
    summary: "Confirm that a payout was sent",
    description:
      "Marks the payout as paid. A draft is finalized first. " +
      'If the program\'s `payoutApproval` is `"two_people"`, another user than the one who finalized it must confirm.',
    ...withJsonBody(programMember("admin")),
    request: { params: PayoutPath, body: body(Confirmation) },
    responses: {
      ...processed("The paid payout"),
      ...refusals([
        ...memberWriteRefusals,
        ...inputRefusals,
        "same_person",
        "total_differs",
        "all_left_out",
        "busy",
        "state_conflict",
      ]),
    },
  }),
  hook: refuseInvalid(Confirmation),
  handler: async (c) => {
    const payoutId = readId(c.req.valid("param").payoutId);
    if (payoutId === undefined) return refuse(c, { code: "not_found", what: "payout" });
    const { paidAt, note, ...expected } = c.req.valid("json");
    const { at } = c.get("call");
    const sentAt = paidAt === undefined ? undefined : parseTimestamp(paidAt);
    const [error] = sentAt === undefined ? [] : instantErrors("paidAt", sentAt, at, maxAgeDays);
    if (error !== undefined) return refuse(c, { code: "invalid_input", errors: [error] });
    const confirm: ConfirmPayoutCall = {
      ...{ ...actingMember(c), kind: "confirm-payout", payoutId, note },
      paidAt: sentAt && Math.min(sentAt, at),
      expectedTotalCents: expected.expectedTotalCents,
      includesChangedUntil: includedUntil(expected, at),
    };
    const found = await confirmOnceFinal(c, confirm);
    if (!found.ok) return refuse(c, found.refusal);
    const { payout } = found.value;
    if (payout.status === "draft") return refuse(c, whyStillDraft(found.value));
    return c.json({ data: payoutWithLines(found.value, true) }, payout.status === "paid" ? 200 : 202);
  },
});

/** A draft whose confirmation was requested may be final only, because two people must take part by now. */
async function confirmOnceFinal(c: Ctx, confirm: ConfirmPayoutCall): Promise<Result<PayoutView>> {
  const send = () => callLedger(c, confirm, (ledger) => ledger.change("confirm-payout", confirm));
  const begun = await send();
  if (!begun.ok) return begun;
  const found = await settlePayout(c, begun.answer.payout);
  if (!found.ok) return found;
  if (found.value.payout.status !== "final") return found;
  const again = await send();
  return again.ok ? settlePayout(c, again.answer.payout) : again;
}
