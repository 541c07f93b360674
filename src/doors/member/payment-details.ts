import { sendMails } from "#api/mail.ts";
import { dryRun, MailOutcome } from "#api/mail-outcome.ts";
import {
  maxRequested,
  PaymentSummary,
  parseDetails,
  paymentFields,
  paymentSummary,
  requestDetails,
  setPayment as setPaymentIn,
} from "#api/payment-details.ts";
import { readFromDatabase } from "#api/read-database.ts";
import { notFound } from "#domain/result.ts";
import { body, createRoute, endpoint, refusals, refuse, returns, withJsonBody } from "#http/endpoint.ts";
import * as fields from "#http/schema/form-fields.ts";
import * as z from "#http/schema/zod.ts";
import { findPaymentDetails } from "#store/views/payment-details.ts";
import { actingMember } from "./actor.ts";
import { inputRefusals, memberRefusals, memberWriteRefusals, programMember, reauthenticated } from "./guards.ts";
import { PartnerPath, ProgramPath } from "./params.ts";

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
      "Owners only. Payouts leave the partner out as `details_changed` for at least 7 days, unless a member includes " +
      "them. The first details of a partner who hasn't been paid yet delay no payout.",
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

const idsMessage = `partnerIds must be 1 to ${maxRequested} ids`;

const DetailsRequests = z
  .object({
    partnerIds: fields
      .ids("partnerIds", maxRequested, idsMessage)
      .describe("The partners to ask. Unknown ids are ignored."),
    dryRun: dryRun(),
  })
  .openapi("PaymentDetailsRequests");

export const requestPayments = endpoint({
  route: createRoute({
    method: "post",
    path: "/programs/{programId}/partners/payment-details-requests",
    operationId: "requestPaymentDetails",
    tags: ["Management"],
    summary: "Ask partners for their payment details",
    description:
      "Mails partners without payment details a request to enter them on their pages. If a partner has no address, the first " +
      "account with access to them that has verified its own is mailed. A partner gets at most one request a day (UTC). Of " +
      "addresses without a verified account with access, only as many are mailed as the daily limit allows.",
    ...withJsonBody(programMember("admin")),
    request: { params: ProgramPath, body: body(DetailsRequests) },
    responses: {
      202: {
        description: "Outcome for each partner",
        content: { "application/json": { schema: z.object({ data: z.object({ outcomes: z.array(MailOutcome) }) }) } },
      },
      ...refusals([...memberWriteRefusals, ...inputRefusals, "email_unverified"]),
    },
  }),
  handler: async (c) => {
    const { name, workspaceId } = c.get("program");
    const { partnerIds, dryRun: isDryRun } = c.req.valid("json");
    const sender = { workspaceId, userId: c.get("userId") };
    const outcomes = await requestDetails(c, { by: actingMember(c), sender, programName: name, isDryRun }, partnerIds);
    if (!outcomes.ok) return refuse(c, outcomes.refusal);
    sendMails(c, "program");
    return c.json({ data: { outcomes: outcomes.value } }, 202);
  },
});
