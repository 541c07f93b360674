import { PaymentSummary, paymentSummary } from "#api/payment-details.ts";
import { readFromDatabase } from "#api/read-database.ts";
import { createRoute, endpoint, returns, refusals, refuse } from "#http/endpoint.ts";
import { readId } from "#http/schema/id.ts";
import * as z from "#http/schema/zod.ts";
import { findPaymentDetails } from "#store/views/payment-details.ts";
import { memberRefusals, programMember } from "../guards.ts";
import { PartnerPath } from "../params.ts";

const noPartner = { code: "not_found", what: "partner" } as const;

export const getPayment = endpoint({
  route: createRoute({
    method: "get",
    path: "/programs/{programId}/partners/{partnerId}/payment",
    operationId: "getPartnerPayment",
    tags: ["Management"],
    summary: "Get where a partner is paid",
    description: "The method and the end of the account. All of it stands in the payment list of a payout, for owners.",
    ...programMember("admin"),
    request: { params: PartnerPath },
    responses: {
      ...returns("Null: the partner is paid by their email address", z.object({ data: PaymentSummary.nullable() })),
      ...refusals(memberRefusals),
    },
  }),
  handler: async (c) => {
    const partnerId = readId(c.req.valid("param").partnerId);
    if (partnerId === undefined) return refuse(c, noPartner);
    const { id: programId } = c.get("program");
    const found = await readFromDatabase(c, "program", (database) =>
      findPaymentDetails(database, { programId, partnerId }),
    );
    if (!found.ok) return refuse(c, found.refusal);
    const { partner, newest } = found.value;
    return partner === undefined ? refuse(c, noPartner) : c.json({ data: paymentSummary(newest) }, 200);
  },
});
