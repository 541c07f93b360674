import { sendMails } from "#api/mail.ts";
import { mailsOfLines } from "#api/mails-to-strangers.ts";
import { body, createRoute, endpoint, returns, refusals, refuse, withJsonBody } from "#http/endpoint.ts";
import { readId } from "#http/schema/id.ts";
import * as z from "#http/schema/zod.ts";
import { actingMember } from "../actor.ts";
import { inputRefusals, memberWriteRefusals, programMember } from "../guards.ts";
import { partnerNote, reason } from "../notes.ts";
import { PayoutLinePath } from "../params.ts";
import { ChangedPayout, changePayout } from "./change-payout.ts";

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
      ...returns("The payout", ChangedPayout),
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
    const member = actingMember(c);
    const mails = await mailsOfLines(c, { ...member, userId: member.actorId }, { payoutId, partnerId });
    if (!mails.ok) return refuse(c, mails.refusal);
    const texts = { reason, partnerNote, ...mails.value };
    const fail = { ...member, kind: "fail-line", payoutId, partnerId, ...texts } as const;
    const failed = await changePayout(c, fail);
    if (failed.ok) sendMails(c, "program");
    return failed.ok ? c.json(failed.value, 200) : refuse(c, failed.refusal);
  },
});
