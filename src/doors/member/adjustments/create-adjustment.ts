import { maxAmountCents } from "#domain/money.ts";
import { runOperation } from "#http/call-ledger.ts";
import { body, created, createRoute, endpoint, returns, refusals, refuse, withJsonBody } from "#http/endpoint.ts";
import * as fields from "#http/schema/form-fields.ts";
import { readId } from "#http/schema/id.ts";
import { id, int64 } from "#http/schema/integers.ts";
import { instant, record } from "#http/schema/record.ts";
import * as z from "#http/schema/zod.ts";
import { actingMember } from "../actor.ts";
import { inputRefusals, memberWriteRefusals, programMember, reauthenticated } from "../guards.ts";
import { partnerNote, reason } from "../notes.ts";
import { PartnerPath } from "../params.ts";

const NewAdjustment = z
  .object({
    amountCents: fields
      .integer("amountCents", -maxAmountCents, maxAmountCents)
      .refine((cents) => cents !== 0, "amountCents must not be 0")
      .describe("Positive for a bonus, negative for a write-off."),
    currency: fields.currency("currency"),
    reason: reason(),
    partnerNote: partnerNote(),
    reference: fields
      .exactId("reference")
      .describe("Your own ID of the adjustment. One with the same reference is recorded once per partner."),
  })
  .openapi("NewAdjustment");

const adjustmentRecord = record("Adjustment", {
  id: id(),
  partnerId: id(),
  amountCents: int64(),
  currency: z.string(),
  reason: z.string().nullable(),
  partnerNote: z.string().nullable(),
  reference: z.string(),
  createdAt: instant(),
});
const AdjustmentReply = z.object({ data: adjustmentRecord.schema });

export const createAdjustment = endpoint({
  route: createRoute({
    method: "post",
    path: "/programs/{programId}/partners/{partnerId}/adjustments",
    operationId: "createAdjustment",
    tags: ["Payouts"],
    summary: "Create an adjustment",
    description:
      "A bonus or a write-off outside of any sale. It is approved when it is created, and the partner's next payout takes it. " +
      "An adjustment is never changed: correct it with another one. One of an erased partner only settles what is open.",
    ...reauthenticated(withJsonBody(programMember("admin"))),
    request: { params: PartnerPath, body: body(NewAdjustment) },
    responses: {
      ...created("Adjustment created", AdjustmentReply),
      ...returns("Already created with this reference", AdjustmentReply),
      ...refusals([
        "reauthenticate",
        ...memberWriteRefusals,
        ...inputRefusals,
        "placeholder_id",
        "adjustment_conflict",
        "partner_erased",
      ]),
    },
  }),
  handler: async (c) => {
    const partnerId = readId(c.req.valid("param").partnerId);
    if (partnerId === undefined) return refuse(c, { code: "not_found", what: "partner" });
    const create = { ...actingMember(c), kind: "create-adjustment", partnerId, ...c.req.valid("json") } as const;
    const outcome = await runOperation(c, create);
    if (!outcome.ok) return refuse(c, outcome.refusal);
    const { adjustment, isNew } = outcome.answer;
    return c.json({ data: adjustmentRecord.reply(adjustment) }, isNew ? 201 : 200);
  },
});
