import { sendMails } from "#api/mail.ts";
import { mailingLines } from "#api/mails-to-strangers.ts";
import { partnerNote, reason } from "#api/notes.ts";
import {
  acknowledgedAt,
  expectedState,
  finalizationFields,
  finalizationOf,
  restoreAcknowledged,
  saysWhichChanged,
  settledBy,
} from "#api/payout-fields.ts";
import { ChangedPayout, changePayout } from "#api/payouts.ts";
import { body, createRoute, endpoint, refusals, refuse, returns, withJsonBody } from "#http/endpoint.ts";
import { instantErrors } from "#http/refusal/validation.ts";
import * as fields from "#http/schema/form-fields.ts";
import { parseTimestamp } from "#http/schema/timestamp.ts";
import * as z from "#http/schema/zod.ts";
import type { ConfirmPayoutCall } from "#operations/payouts/confirm-payout.ts";
import { actingMember } from "./actor.ts";
import { inputRefusals, memberWriteRefusals, programMember, reauthenticated } from "./guards.ts";
import { PayoutLinePath, PayoutPath } from "./params.ts";

const Finalization = z
  .object({
    ...finalizationFields,
    settledBy: settledBy("Defaults to the draft's value. Repeating the call with another value is refused."),
  })
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
      "Computes the lines again, up to the draft's `until`, and reserves their commissions. The amounts never " +
      "change after that. If the total isn't `expectedTotalCents`, nothing is reserved, and the refusal lists " +
      "the `changes`.",
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
        "differs",
        "program_archived",
      ]),
    },
  }),
  handler: async (c) => {
    const { payoutId } = c.req.valid("param");
    const { settledBy, ...finalization } = c.req.valid("json");
    const finalize = {
      ...actingMember(c),
      kind: "finalize-payout",
      payoutId,
      settledBy,
      ...finalizationOf(finalization, c.get("call").at),
    } as const;
    const finalized = await changePayout(c, finalize);
    return finalized.ok ? c.json(finalized.value, 200) : refuse(c, finalized.refusal);
  },
});

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
      'If the program\'s `payoutApproval` is `"two_people"`, another user than the one who finalized it must confirm. ' +
      "If the payout is settled by API, its lines become due and the payout stays final. After a restore, an owner must confirm it again.",
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
        "settled_by_api",
        "payout_closed",
      ]),
    },
  }),
  handler: async (c) => {
    const { payoutId } = c.req.valid("param");
    const { paidAt, note, ...finalization } = c.req.valid("json");
    const { at } = c.get("call");
    const sentAt = paidAt === null ? undefined : parseTimestamp(paidAt);
    const [error] = sentAt === undefined ? [] : instantErrors("paidAt", sentAt, at, maxAgeDays);
    if (error !== undefined) return refuse(c, { code: "invalid_input", errors: [error] });
    const member = actingMember(c);
    const confirm: Omit<ConfirmPayoutCall, "mailsFrom" | "recipients"> = {
      ...member,
      kind: "confirm-payout",
      payoutId,
      note,
      isByOwner: c.get("membership").role === "owner",
      paidAt: sentAt === undefined ? null : Math.min(sentAt, at),
      ...finalizationOf(finalization, at),
    };
    const sender = { workspaceId: c.get("program").workspaceId, userId: c.get("userId") };
    const confirmed = await mailingLines(c, sender, { payoutId, partnerId: null, template: "payout_paid" }, (mails) =>
      changePayout(c, { ...confirm, ...mails }),
    );
    if (confirmed.ok) sendMails(c, "program");
    return confirmed.ok ? c.json(confirmed.value, 200) : refuse(c, confirmed.refusal);
  },
});

const Query = z.object({
  expectedStatus: fields
    .optional(fields.oneOf("expectedStatus", ["draft", "final"]))
    .describe("The status that you have seen. A payout with another status isn't canceled."),
  restoreAcknowledged,
});

export const cancelPayout = endpoint({
  route: createRoute({
    method: "post",
    path: "/programs/{programId}/payouts/{payoutId}/cancel",
    operationId: "cancelPayout",
    tags: ["Payouts"],
    summary: "Cancel a payout",
    description:
      "Cancels a draft or a final payout. Its commissions can be paid by another payout. If the payout is settled by API, all lines that aren't settled are given back.",
    ...programMember("admin"),
    request: { params: PayoutPath, query: Query },
    responses: {
      ...returns("The canceled payout", ChangedPayout),
      ...refusals([
        ...memberWriteRefusals,
        "invalid_input",
        "restored",
        "payout_closed",
        "payout_changed",
        "nothing_due",
      ]),
    },
  }),
  handler: async (c) => {
    const { payoutId } = c.req.valid("param");
    const { expectedStatus, ...query } = c.req.valid("query");
    const acknowledged = { restoreAcknowledged: acknowledgedAt(query.restoreAcknowledged) };
    const cancel = { ...actingMember(c), kind: "cancel-payout", payoutId, expectedStatus, ...acknowledged } as const;
    const canceled = await changePayout(c, cancel);
    return canceled.ok ? c.json(canceled.value, 200) : refuse(c, canceled.refusal);
  },
});

const Failure = z
  .object({
    reason: reason(),
    partnerNote: partnerNote(),
    expectedState: expectedState("expectedState"),
    restoreAcknowledged,
  })
  .openapi("PayoutLineFailure");

export const failPayoutLine = endpoint({
  route: createRoute({
    method: "post",
    path: "/programs/{programId}/payouts/{payoutId}/lines/{partnerId}/fail",
    operationId: "failPayoutLine",
    tags: ["Payouts"],
    summary: "Mark a line as failed",
    description:
      "Use it if the payment was returned. The line's commissions can then be paid by another payout. If the payout is settled by API, a line that isn't settled is given back.",
    ...withJsonBody(programMember("admin")),
    request: { params: PayoutLinePath, body: body(Failure) },
    responses: {
      ...returns("The payout", ChangedPayout),
      ...refusals([...memberWriteRefusals, ...inputRefusals, "payout_not_paid", "restored", "differs"]),
    },
  }),
  handler: async (c) => {
    const { payoutId, partnerId } = c.req.valid("param");
    const { restoreAcknowledged, ...failure } = c.req.valid("json");
    const fail = {
      ...actingMember(c),
      kind: "fail-line",
      payoutId,
      line: { partnerId },
      ...failure,
      restoreAcknowledged: acknowledgedAt(restoreAcknowledged),
    } as const;
    const sender = { workspaceId: c.get("program").workspaceId, userId: c.get("userId") };
    const failed = await mailingLines(c, sender, { payoutId, partnerId, template: "line_failed" }, (mails) =>
      changePayout(c, { ...fail, ...mails }),
    );
    if (failed.ok) sendMails(c, "program");
    return failed.ok ? c.json(failed.value, 200) : refuse(c, failed.refusal);
  },
});
