import {
  PaymentSummary,
  parseDetails,
  paymentFields,
  paymentSummary,
  setPayment as setPaymentIn,
} from "#api/payment-details.ts";
import { readFromDatabase } from "#api/read-database.ts";
import { notFound } from "#domain/result.ts";
import { body, createRoute, endpoint, refusals, refuse, returns, withJsonBody } from "#http/endpoint.ts";
import * as z from "#http/schema/zod.ts";
import { findPaymentDetails } from "#store/views/payment-details.ts";
import { actingMember } from "./actor.ts";
import { inputRefusals, memberRefusals, memberWriteRefusals, programMember, reauthenticated } from "./guards.ts";
import { PartnerPath } from "./params.ts";

export const getPayment = endpoint({
  route: createRoute({
    method: "get",
    path: "/programs/{programId}/partners/{partnerId}/payment",
    operationId: "getPartnerPayment",
    tags: ["Management"],
    summary: "Get a partner's payment details",
    description:
      "Returns the method and the last characters of the account, or a masked email address. Owners get the whole account in the payment list of a payout.",
    ...programMember("admin"),
    request: { params: PartnerPath },
    responses: {
      ...returns("Null if the partner is paid by the email address", z.object({ data: PaymentSummary.nullable() })),
      ...refusals(memberRefusals),
    },
  }),
  handler: async (c) => {
    const { partnerId } = c.req.valid("param");
    const { id: programId } = c.get("program");
    const found = await readFromDatabase(c, "program", (database) =>
      findPaymentDetails(database, { programId, partnerId }),
    );
    if (!found.ok) return refuse(c, found.refusal);
    const { partner, newest } = found.value;
    return partner === undefined ? refuse(c, notFound("partner")) : c.json({ data: paymentSummary(newest) }, 200);
  },
});

const NewPaymentDetails = z.object(paymentFields).openapi("NewPaymentDetails");

export const setPayment = endpoint({
  route: createRoute({
    method: "put",
    path: "/programs/{programId}/partners/{partnerId}/payment",
    operationId: "setPartnerPayment",
    tags: ["Management"],
    summary: "Set a partner's payment details",
    description:
      "Owners only. Payouts leave the partner out as `details_changed` for 7 days, unless a member includes " +
      "them. First details of a partner who hasn't been paid delay nothing.",
    ...reauthenticated(withJsonBody(programMember("owner"))),
    request: { params: PartnerPath, body: body(NewPaymentDetails) },
    responses: {
      ...returns("The payment details", z.object({ data: PaymentSummary.nullable() })),
      ...refusals([
        "reauthenticate",
        ...memberWriteRefusals,
        ...inputRefusals,
        "invalid_account",
        "partner_erased",
        "email_unverified",
      ]),
    },
  }),
  handler: async (c) => {
    const { partnerId } = c.req.valid("param");
    const details = parseDetails(c.req.valid("json"));
    if (!details.ok) return refuse(c, details.refusal);
    const set = await setPaymentIn(c, { ...actingMember(c), partnerId, actsAs: "owner" }, details.value);
    return set.ok ? c.json({ data: set.value }, 200) : refuse(c, set.refusal);
  },
});
