import { createRoute, z } from "@hono/zod-openapi";
import { clickKeysOf, hashSecretOf, type Locator } from "../../env.ts";
import type { ClickKeyRing } from "../../domain/click-id.ts";
import { answer, id, TestData, testAnswer, warnings } from "../../http/answer.ts";
import { callLedger } from "../../http/call-ledger.ts";
import { faulty, ofAny, ofBody, ofKey, ok, plainBody, refusals } from "../../http/described.ts";
import { maskedEmail } from "../../http/digest.ts";
import { endpoint } from "../../http/endpoint.ts";
import { occurredAtOf, refuseFaults } from "../../http/faults.ts";
import { refuse } from "../../http/refuse.ts";
import { storedUrl } from "../../http/url.ts";
import * as wire from "../../http/wire.ts";
import type { Call, PresentedKey } from "../../operations/operation.ts";
import type { LeadAnswer, LeadCall } from "../../operations/record-lead.ts";
import { programKeyOptional } from "../access.ts";
import { verifiedClicks } from "./clicks.ts";
import { trackingStyle } from "./style.ts";

const noCustomer = "click_id or customer_key is required";

const LeadBody = z
  .object({
    click_id: wire.optionalText(wire.text("click_id")).describe("The visitor's click. A browser's sign-up rests on it alone."),
    click_ids: wire
      .optional(z.array(wire.text("click_ids"), "click_ids must be an array of strings"))
      .transform((ids) => (ids?.some(Boolean) ? ids.filter(Boolean) : undefined))
      .describe("Earlier clicks of the visitor, newest last. The last 20 count."),
    customer_key: wire.optional(wire.callerId("customer_key")).describe("Your own stable id of the customer: use the same one for sales."),
    email: wire.optionalText(wire.text("email")).describe("Stored as a keyed hash and a mask, never in the clear."),
    session_id: wire.optionalText(wire.text("session_id")),
    page_url: wire.optionalText(wire.webUrl("page_url")).describe("Of its query `aff` and `utm_*` are kept."),
    program_id: wire.optional(wire.programId("program_id")).describe("Must agree with the key and the click."),
    occurred_at: wire.optional(wire.occurredAt()).describe("When it happened, at most 400 days ago. A browser's is ignored."),
    additional_data: wire.optional(wire.additionalData()),
  })
  .refine(...wire.liveNeeds(["click_id", "click_ids", "customer_key"], noCustomer))
  .openapi("Lead");
type LeadBody = z.output<typeof LeadBody>;

const LeadReply = z
  .object({
    success: z.literal(true),
    message: z.string(),
    data: TestData.optional(),
    provisional: z.literal(true).optional().describe("This program takes a browser's word for nothing: send the lead from your server."),
    attributed: z.boolean().optional(),
    lead_id: id("The lead. Not told to a browser.").optional(),
    partner_code: z.string().optional(),
    duplicate: z.literal(true).optional().describe("This customer was known; the lead is their first."),
    moved: z.literal(true).optional().describe("This customer was known, and a newer click moved them to its partner."),
    attributed_sales: z.array(z.object({ sale_id: z.int(), commission_id: z.int() })).optional(),
    reason: z.string().optional(),
    click_age_days: z.int().optional(),
    window_days: z.int().optional(),
    ...warnings,
  })
  .openapi("LeadRecorded");

const style = trackingStyle("Lead");
const messages = {
  attributed: "Lead tracked successfully",
  unattributed: "Lead recorded without attribution",
  provisional:
    "Lead recorded as provisional. This program requires server-side (Bearer) lead tracking to settle attribution.",
} as const;

export const lead = endpoint({
  route: createRoute({
    method: "post",
    path: "/lead",
    operationId: "trackLead",
    tags: ["Tracking"],
    summary: "Record a customer's sign-up",
    description:
      "With the program's API key from a backend, where a customer key is enough; without one from a browser, where the click id proves the partner.",
    ...programKeyOptional(),
    request: {
      body: plainBody(LeadBody, {
        server: { value: { customer_key: "user_17", click_id: "AQEBm3yKc5gAAg…", email: "john@example.com" } },
        browser: { value: { click_id: "AQEBm3yKc5gAAg…", customer_key: "user_17", program_id: 1 } },
      }),
    },
    responses: {
      ...ok("Recorded", LeadReply, {
        attributed: {
          value: { success: true, message: messages.attributed, attributed: true, lead_id: 12, partner_code: "anna" },
        },
        unattributed: {
          value: { success: true, message: messages.unattributed, attributed: false, lead_id: 13, reason: "no_click" },
        },
        provisional: { value: { success: true, message: messages.provisional, provisional: true } },
      }),
      ...refusals(
        style,
        ...[faulty("click_id", noCustomer), faulty("program_id", "program_id must be a positive integer")],
        ...(["customer_not_found", "customer_of_another_program", "program_not_found"] as const),
        ...[...ofBody, ...ofKey, ...ofAny],
      ),
    },
  }),
  hook: refuseFaults(LeadBody, 400),
  handler: async (c) => {
    const lead = leadCall(c.req.valid("json"), c.var.call, c.var.key, clickKeysOf(c.env), hashSecretOf(c.env));
    const locator = locatorOf(lead);
    if (locator === undefined) return refuse(c, lead.isTest ? faulty("program_id", "program_id is required") : nobody);
    const outcome = await callLedger(c, locator, (ledger) => ledger.recordLead(lead));
    return outcome.ok ? answer(c, leadReply(outcome.answer, lead)) : refuse(c, outcome.refusal);
  },
});

const nobody = { code: "customer_not_found" } as const;

const leadCall = (
  body: LeadBody,
  call: Call,
  key: PresentedKey | undefined,
  ring: ClickKeyRing,
  secret: string,
): LeadCall => ({
  ...call,
  kind: "lead",
  isTest: wire.isTest(body),
  key,
  programId: wire.programIdOf(body),
  clicks: verifiedClicks(ring, body.click_ids ?? [], body.click_id),
  sentClickId: body.click_id !== undefined || body.click_ids !== undefined,
  customerKey: body.customer_key,
  email: body.email === undefined ? undefined : maskedEmail(secret, body.email),
  pageUrl: storedUrl(body.page_url),
  eventName: body.additional_data?.event_name,
  occurredAt: key === undefined ? call.at : occurredAtOf(body.occurred_at, call.at),
});

/** Who is meant, as far as the call tells; a browser with neither a program nor a good click tells nothing. */
const locatorOf = ({ key, programId, clicks }: LeadCall): Locator | undefined =>
  key ?? (programId === undefined ? clicks.at(-1) : { programId });

function leadReply(lead: LeadAnswer, { isTest, key }: LeadCall): z.output<typeof LeadReply> {
  const message = messages[lead.status];
  const said = isTest ? testAnswer("lead", lead.leadId, lead.programId) : { success: true as const, message };
  if (lead.status === "provisional") return { ...said, provisional: true };
  // Anyone can send what a browser sends, so it is told nothing of the customer.
  const known = key === undefined ? {} : { lead_id: lead.leadId, ...(lead.repeat && { [lead.repeat]: true }) };
  if (lead.status === "attributed") {
    return { ...said, attributed: true, ...known, partner_code: lead.partnerCode, ...(key && salesOf(lead)) };
  }
  const { reason, clickAgeDays, windowDays } = lead;
  return { ...said, attributed: false, ...known, reason, click_age_days: clickAgeDays, window_days: windowDays };
}

function salesOf({ attributedSales: sales }: Extract<LeadAnswer, { status: "attributed" }>) {
  if (sales.length === 0) return {};
  return { attributed_sales: sales.map(({ saleId, commissionId }) => ({ sale_id: saleId, commission_id: commissionId })) };
}
