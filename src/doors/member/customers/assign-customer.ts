import { Effects, effectsReply, maxAheadMs } from "#api/imports/customer-columns.ts";
import { runOperation } from "#http/call-ledger.ts";
import { body, createRoute, endpoint, returns, refusals, refuse, withJsonBody } from "#http/endpoint.ts";
import * as fields from "#http/schema/form-fields.ts";
import { id } from "#http/schema/integers.ts";
import { parseTimestamp, timestamp } from "#http/schema/timestamp.ts";
import * as z from "#http/schema/zod.ts";
import { actingMember } from "../actor.ts";
import { isRecentlyConfirmed } from "../authorize.ts";
import { inputRefusals, memberWriteRefusals, programMember } from "../guards.ts";
import { reason } from "../notes.ts";
import { ProgramPath } from "../params.ts";

const Assignment = z
  .object({
    customerKey: fields.callerId("customerKey"),
    partnerId: fields.integer("partnerId", 1, Number.MAX_SAFE_INTEGER),
    since: fields
      .optional(fields.instant("since"))
      .describe("The customer's sales belong to the partner from then on. Default: from now on."),
    payPast: fields
      .optional(fields.flag("payPast"))
      .describe(
        "Needed for a `since` in the past: the sales from then on earn, in so far as no other partner has them. Owners only.",
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
      "For a customer whom no click, import or person has given to a partner for good. It is final at once. The same " +
      "assignment again changes nothing.",
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
              hasMore: z.boolean().describe("More sales follow than `effects` counts."),
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
        errors: [{ path: ["since"], message: "since is more than a year ahead" }],
      });
    }
    const call = {
      ...{ ...acting, kind: "assign-customer" as const, customerKey, partnerId },
      ...{ since, payPast: payPast === true, reason: why },
    };
    const outcome = await runOperation(c, call);
    if (!outcome.ok) return refuse(c, outcome.refusal);
    const { partnerCode, since: boundSince, effects, hasMore } = outcome.answer;
    const data = { customerKey, partnerId, partnerCode, source: "person" as const, since: timestamp(boundSince) };
    return c.json({ data: { ...data, effects: effectsReply(effects), hasMore } }, 200);
  },
});
