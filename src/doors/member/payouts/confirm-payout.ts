import { sendMails } from "#api/mail.ts";
import { mailsOfLines } from "#api/mails-to-strangers.ts";
import { body, createRoute, endpoint, returns, refusals, refuse, withJsonBody } from "#http/endpoint.ts";
import { instantErrors } from "#http/refusal/validation.ts";
import * as fields from "#http/schema/form-fields.ts";
import { readId } from "#http/schema/id.ts";
import { parseTimestamp } from "#http/schema/timestamp.ts";
import * as z from "#http/schema/zod.ts";
import type { ConfirmPayoutCall } from "#operations/payouts/confirm-payout.ts";
import { actingMember } from "../actor.ts";
import { inputRefusals, memberWriteRefusals, programMember, reauthenticated } from "../guards.ts";
import { PayoutPath } from "../params.ts";
import { ChangedPayout, changePayout } from "./change-payout.ts";
import { finalizationFields, finalizationOf, saysWhichChanged } from "./request.ts";

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
    ...finalizationFields,
  })
  .refine(...saysWhichChanged)
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
    ...reauthenticated(withJsonBody(programMember("admin"))),
    request: { params: PayoutPath, body: body(Confirmation) },
    responses: {
      ...returns("The paid payout", ChangedPayout),
      ...refusals([
        "reauthenticate",
        ...memberWriteRefusals,
        ...inputRefusals,
        "same_person",
        "restored",
        "total_differs",
        "all_left_out",
        "payout_not_final",
        "payout_closed",
      ]),
    },
  }),
  handler: async (c) => {
    const payoutId = readId(c.req.valid("param").payoutId);
    if (payoutId === undefined) return refuse(c, { code: "not_found", what: "payout" });
    const { paidAt, note, ...finalization } = c.req.valid("json");
    const { at } = c.get("call");
    const sentAt = paidAt === null ? undefined : parseTimestamp(paidAt);
    const [error] = sentAt === undefined ? [] : instantErrors("paidAt", sentAt, at, maxAgeDays);
    if (error !== undefined) return refuse(c, { code: "invalid_input", errors: [error] });
    const member = actingMember(c);
    const mails = await mailsOfLines(c, { ...member, userId: member.actorId }, { payoutId, partnerId: null });
    if (!mails.ok) return refuse(c, mails.refusal);
    const confirm: ConfirmPayoutCall = {
      ...{ ...member, kind: "confirm-payout", payoutId, note },
      paidAt: sentAt === undefined ? null : Math.min(sentAt, at),
      ...finalizationOf(finalization, at),
      ...mails.value,
    };
    const confirmed = await changePayout(c, confirm);
    if (confirmed.ok) sendMails(c, "program");
    return confirmed.ok ? c.json(confirmed.value, 200) : refuse(c, confirmed.refusal);
  },
});
