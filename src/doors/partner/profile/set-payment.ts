import { PaymentSummary, parseDetails, paymentFields } from "#api/payment-details.ts";
import { setPayment as setPaymentIn } from "#api/set-payment.ts";
import { body, createRoute, endpoint, returns, refusals, refuse, withJsonBody } from "#http/endpoint.ts";
import * as z from "#http/schema/zod.ts";
import { ownProof } from "../../member/auth/own-proof.ts";
import { inputRefusals } from "../../member/guards.ts";
import { partnerSide, partnerWriteRefusals } from "../guards.ts";
import { PartnerSidePath } from "../params.ts";
import { confirmPassword } from "./confirm-password.ts";

const NewPaymentDetails = z.object({ ...paymentFields, ...ownProof }).openapi("NewPartnerPaymentDetails");

export const setPayment = endpoint({
  route: createRoute({
    method: "put",
    path: "/programs/{programId}/partners/{partnerId}/payment",
    operationId: "setPartnerPayment",
    tags: ["Partner"],
    summary: "Set where you are paid",
    description:
      "Stored encrypted, and shown in full only to you and in the program's payment files. After a payment, the program " +
      "checks new details before it pays there. Works also while the program or the partner is paused.",
    ...withJsonBody(partnerSide("manage")),
    request: { params: PartnerSidePath, body: body(NewPaymentDetails) },
    responses: {
      ...returns("The payment details", z.object({ data: PaymentSummary.nullable() })),
      ...refusals([...partnerWriteRefusals, ...inputRefusals, "wrong_password", "invalid_account"]),
    },
  }),
  handler: async (c) => {
    const { accountId, partner } = c.var;
    const { password, code, ...input } = c.req.valid("json");
    const details = parseDetails(input);
    if (!details.ok) return refuse(c, details.refusal);
    const confirmed = await confirmPassword(c, accountId, { password, code });
    if (!confirmed.ok) return refuse(c, confirmed.refusal);
    const { programId, partnerId } = partner;
    const set = await setPaymentIn(c, { programId, partnerId, actorId: accountId, actsAs: "partner" }, details.value);
    return set.ok ? c.json({ data: set.value }, 200) : refuse(c, set.refusal);
  },
});
