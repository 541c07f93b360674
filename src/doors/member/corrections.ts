import { Effects, effectsReply, maxAheadMs } from "#api/imports/customer-columns.ts";
import { reason, reason as reasonField } from "#api/notes.ts";
import { readFromDatabase } from "#api/read-database.ts";
import { shownStatus, shownStatuses } from "#domain/commission-status.ts";
import { notFound } from "#domain/result.ts";
import { clickKeysOf } from "#env.ts";
import { runOperation } from "#http/call-ledger.ts";
import { verifiedClicks } from "#http/click-ids.ts";
import { body, createRoute, endpoint, refusals, refuse, returns, withJsonBody } from "#http/endpoint.ts";
import { instantErrors } from "#http/refusal/validation.ts";
import * as fields from "#http/schema/form-fields.ts";
import { id, int64 } from "#http/schema/integers.ts";
import { parseTimestamp, timestamp, timestampOrNull } from "#http/schema/timestamp.ts";
import * as z from "#http/schema/zod.ts";
import type { CorrectedSale } from "#operations/manage/correction.ts";
import { maxCountedUnconfirmed } from "#store/customers.ts";
import { findCorrectableSale } from "#store/views/correctable-sale.ts";
import { actingMember } from "./actor.ts";
import { isRecentlyConfirmed } from "./authorize.ts";
import { inputRefusals, memberWriteRefusals, programMember } from "./guards.ts";
import { ProgramPath, SalePath } from "./params.ts";

const Assignment = z
  .object({
    customerKey: fields.callerId("customerKey"),
    partnerId: fields.integer("partnerId", 1, Number.MAX_SAFE_INTEGER),
    since: fields
      .optional(fields.instant("since"))
      .describe("The customer's sales are attributed to the partner from this time on. Defaults to now."),
    payPast: fields
      .optional(fields.flag("payPast"))
      .describe(
        "Required for a `since` in the past: sales from then on earn commission, unless they are attributed to another partner. Owners only.",
      ),
    reason: reason(),
  })
  .openapi("CustomerAssignment");

export const assignCustomer = endpoint({
  route: createRoute({
    method: "post",
    path: "/programs/{programId}/customers/assign",
    operationId: "assignCustomer",
    tags: ["Management"],
    summary: "Assign a customer to a partner",
    description:
      "For customers without a final attribution by a click, an import or a member. The assignment is final at " +
      "once and has no dry run: `dryRun` is ignored like any unknown field. Repeating it changes nothing.",
    ...withJsonBody(programMember("admin")),
    request: { params: ProgramPath, body: body(Assignment) },
    responses: {
      ...returns(
        "Assigned",
        z.object({
          data: z
            .object({
              customerKey: z.string(),
              partnerId: id(),
              partnerCode: z.string(),
              source: z.literal("person"),
              since: z.iso.datetime(),
              effects: Effects,
              hasMore: z.boolean().describe("True if there are more sales than `effects` counts."),
              unconfirmedSales: int64().describe(
                `Number of the customer's sales before \`since\` whose commission stays unconfirmed until you approve it. Only the newest ${maxCountedUnconfirmed} sales are counted.`,
              ),
            })
            .openapi("AssignedCustomer"),
        }),
      ),
      ...refusals([
        ...memberWriteRefusals,
        ...inputRefusals,
        "owner_only",
        "reauthenticate",
        "placeholder_id",
        "past_needs_consent",
        "final",
        "moving",
        "program_archived",
      ]),
    },
  }),
  handler: async (c) => {
    const { customerKey, partnerId, since: sent, payPast, reason: why } = c.req.valid("json");
    const acting = actingMember(c);
    if (payPast === true && c.get("membership").role !== "owner") return refuse(c, { code: "owner_only" });
    if (payPast === true && !isRecentlyConfirmed(c, c.get("confirmedAt"))) return refuse(c, { code: "reauthenticate" });
    const since = sent === null ? null : (parseTimestamp(sent) ?? null);
    if (since !== null && since > acting.at + maxAheadMs) {
      return refuse(c, {
        code: "invalid_input",
        errors: [{ path: ["since"], message: "since must not be more than a year in the future" }],
      });
    }
    const call = {
      ...acting,
      kind: "assign-customer" as const,
      customerKey,
      partnerId,
      since,
      payPast: payPast === true,
      reason: why,
    };
    const outcome = await runOperation(c, call);
    if (!outcome.ok) return refuse(c, outcome.refusal);
    const { partnerCode, since: boundSince, effects, ...more } = outcome.answer;
    const data = { customerKey, partnerId, partnerCode, source: "person" as const, since: timestamp(boundSince) };
    return c.json({ data: { ...data, effects: effectsReply(effects), ...more } }, 200);
  },
});

const maxAgeDays = 400;
const CorrectionBody = z
  .object({
    amountCents: fields
      .omittable(fields.amountCents("amountCents"))
      .describe("Correct amount of the sale, before refunds. Refunds already made are kept."),
    currency: fields.omittable(fields.currency("currency")),
    customerKey: fields.omittable(fields.callerId("customerKey")).describe("Correct customer key of the sale."),
    occurredAt: fields
      .omittable(fields.instant("occurredAt"))
      .describe("Time of the payment, up to 400 days ago. The rules in force at that time decide the commission."),
    reason: reasonField(),
    dryRun: fields
      .optional(fields.flag("dryRun"))
      .describe("Returns what the correction would do, and records nothing. New ids are null then."),
  })
  .openapi("SaleCorrection");

const SaleState = z
  .object({
    saleId: id().nullable(),
    transactionId: z.string(),
    customerKey: z.string().nullable(),
    amountCents: int64(),
    refundedCents: int64(),
    currency: z.string(),
    occurredAt: z.iso.datetime(),
    partnerId: id().nullable(),
    partnerCode: z.string().nullable(),
    commission: z.object({
      id: id().nullable(),
      status: z.enum(shownStatuses),
      reason: z.string().nullable().describe("Reason why a `void` commission pays nothing."),
      unconfirmed: z.boolean(),
      amountCents: int64(),
      currency: z.string(),
      holdUntil: z.iso.datetime().nullable(),
    }),
  })
  .openapi("SaleState");

export const correctSale = endpoint({
  route: createRoute({
    method: "post",
    path: "/programs/{programId}/sales/{saleId}/correct",
    operationId: "correctSale",
    tags: ["Management"],
    summary: "Correct a sale",
    description:
      "Refunds the rest of the sale (`refund_id` `correction-<n>`) and records it again as " +
      "`<transaction_id>~<n>`, in one step. The rules in force at the time of the sale decide the commission. " +
      "Refunds already made are kept. Refunds reported later under an earlier id count for the corrected sale: " +
      "a partial refund with its amount, a full refund with the whole new amount. Omitted fields stay " +
      "unchanged. Repeating the same correction changes nothing. A sale with more than 100 refund calls can't " +
      "be corrected in one call.",
    ...withJsonBody(programMember("admin")),
    request: { params: SalePath, body: body(CorrectionBody) },
    responses: {
      ...returns("The sale before and after", z.object({ data: z.object({ before: SaleState, after: SaleState }) })),
      ...refusals([
        ...memberWriteRefusals,
        ...inputRefusals,
        "placeholder_id",
        "already_corrected",
        "nothing_to_correct",
        "below_refunded",
        "refunds_in_other_currency",
        "too_many_to_repeat",
        "id_taken",
        "moving",
        "cap_reached",
        "program_archived",
        "sale_rejected",
        "transaction_id_too_long",
      ]),
    },
  }),
  handler: async (c) => {
    const { reason, dryRun, occurredAt: text, ...changes } = c.req.valid("json");
    const isDryRun = dryRun === true;
    const member = actingMember(c);
    const told = text === undefined ? undefined : parseTimestamp(text);
    const [error] = told === undefined ? [] : instantErrors("occurredAt", told, member.at, maxAgeDays);
    if (error !== undefined) return refuse(c, { code: "invalid_input", errors: [error] });
    const { saleId } = c.req.valid("param");
    const found = await readFromDatabase(c, "program", (database) =>
      findCorrectableSale(database, member.programId, saleId),
    );
    if (!found.ok) return refuse(c, found.refusal);
    if (found.value === undefined) return refuse(c, notFound("sale"));
    const occurredAt = told === undefined ? undefined : Math.min(told, member.at);
    const call = {
      ...member,
      ...found.value,
      kind: "correct-sale" as const,
      reason,
      isDryRun,
      ...verifiedClicks(clickKeysOf(c.env), [], found.value.sale.sentClickId),
      changes: { ...changes, occurredAt },
    };
    const corrected = await runOperation(c, call);
    if (!corrected.ok) return refuse(c, corrected.refusal);
    const { before, after } = corrected.answer;
    const isNew = isDryRun && after.recorded.sale.operationId === call.operationId;
    return c.json({ data: { before: stateOf(before), after: stateOf(after, isNew) } }, 200);
  },
});

const stateOf = (
  { recorded: { sale, commission, heldBy }, customerKey }: CorrectedSale,
  isPreview = false,
): z.output<typeof SaleState> => ({
  saleId: isPreview ? null : sale.id,
  transactionId: sale.transactionId,
  customerKey,
  amountCents: sale.amountCents,
  refundedCents: sale.refundedCents,
  currency: sale.currency,
  occurredAt: timestamp(sale.occurredAt),
  partnerId: sale.partnerId,
  partnerCode: sale.partnerCode,
  commission: {
    id: isPreview ? null : commission.id,
    status: shownStatus(commission.status, heldBy),
    reason: commission.reason,
    unconfirmed: commission.isUnconfirmed,
    amountCents: commission.amountCents,
    currency: commission.currency,
    holdUntil: timestampOrNull(commission.holdUntil),
  },
});
