import { PaymentSummary, parseDetails, paymentFields } from "#api/payment-details.ts";
import { setPayment as setPaymentIn } from "#api/set-payment.ts";
import { body, createRoute, endpoint, returns, refusals, refuse, withJsonBody } from "#http/endpoint.ts";
import { readId } from "#http/schema/id.ts";
import * as z from "#http/schema/zod.ts";
import { actingMember } from "../actor.ts";
import { inputRefusals, memberWriteRefusals, programMember, reauthenticated } from "../guards.ts";
import { PartnerPath } from "../params.ts";

const NewPaymentDetails = z.object(paymentFields).openapi("NewPaymentDetails");

export const setPayment = endpoint({
  route: createRoute({
    method: "put",
    path: "/programs/{programId}/partners/{partnerId}/payment",
    operationId: "setPartnerPayment",
    tags: ["Management"],
    summary: "Set where a partner is paid",
    description:
      "Owners only. Payouts leave the partner out as `details_changed` for 7 days, unless somebody includes them. " +
      "Details that replace none, of a partner who hasn't been paid, hold nothing back.",
    ...reauthenticated(withJsonBody(programMember("owner"))),
    request: { params: PartnerPath, body: body(NewPaymentDetails) },
    responses: {
      ...returns("The payment details", z.object({ data: PaymentSummary.nullable() })),
      ...refusals(["reauthenticate", ...memberWriteRefusals, ...inputRefusals, "invalid_account", "partner_erased"]),
    },
  }),
  handler: async (c) => {
    const partnerId = readId(c.req.valid("param").partnerId);
    if (partnerId === undefined) return refuse(c, { code: "not_found", what: "partner" });
    const details = parseDetails(c.req.valid("json"));
    if (!details.ok) return refuse(c, details.refusal);
    const set = await setPaymentIn(c, { ...actingMember(c), partnerId, actsAs: "owner" }, details.value);
    return set.ok ? c.json({ data: set.value }, 200) : refuse(c, set.refusal);
  },
});
