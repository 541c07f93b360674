import { isPlaceholderId } from "#domain/caller-id.ts";
import { storedText } from "#domain/visit-text.ts";
import { programKeyOptional } from "#doors/key/guards.ts";
import { clickKeysOf, type Env, hashSecretOf } from "#env.ts";
import { callLedger, type Locator } from "#http/call-ledger.ts";
import { verifiedClicks } from "#http/click-ids.ts";
import { maskedEmail } from "#http/keyed-digest.ts";
import { countKeyless } from "#http/rate-limits.ts";
import { trackingStyle } from "#http/refusal/tracking-style.ts";
import { reply, warnings } from "#http/reply.ts";
import * as fields from "#http/schema/fields.ts";
import { id, int32 } from "#http/schema/integers.ts";
import { storedUrl } from "#http/schema/web-url.ts";
import * as z from "#http/schema/zod.ts";
import { TestData, testReply } from "#http/test-mode.ts";
import {
  bodyRefusals,
  commonRefusals,
  createRoute,
  endpoint,
  invalidField,
  keyRefusals,
  plainBody,
  refusals,
  refuse,
  refuseAfterKeyCheck,
  refuseInvalid,
  returns,
} from "#http/tracking-endpoint.ts";
import type { Call, PresentedKey } from "#operations/operation.ts";
import type { LeadAnswer, LeadCall } from "#operations/track/lead.ts";

const noCustomer = "click_id or customer_key is required";
const noProgram = invalidField("program_id", "program_id is required");
const noKey = { code: "placeholder_id", field: "customer_key" } as const;

const LeadBody = z
  .object({
    click_id: fields.clickId().describe("The visitor's click id."),
    click_ids: fields.clickIds(),
    customer_key: fields
      .optional(fields.callerId("customer_key"))
      .describe("Your stable id for the customer. Send the same one with their sales."),
    email: fields
      .optionalText(fields.text("email"))
      .describe("Stored as a keyed hash and a mask, never in plain text."),
    session_id: fields.optionalText(fields.text("session_id")),
    page_url: fields.pageUrl("page_url"),
    program_id: fields
      .optional(fields.programId("program_id"))
      .describe("Must be the program of the API key and of the click."),
    occurred_at: fields
      .optional(fields.occurredAt())
      .describe("Time of the sign-up, at most 400 days ago. Ignored without an API key."),
    additional_data: fields.optional(fields.additionalData()),
  })
  .refine(...fields.requiredUnlessTest(["click_id", "click_ids", "customer_key"], noCustomer))
  .openapi("Lead");
type LeadBody = z.output<typeof LeadBody>;

const LeadReply = z
  .object({
    success: z.literal(true),
    message: z.string(),
    data: TestData.optional(),
    provisional: z
      .literal(true)
      .optional()
      .describe("The lead isn't attributed, because the program attributes only leads sent with its API key."),
    attributed: z.boolean().optional(),
    lead_id: id().describe("Id of the lead. Omitted in responses to a browser.").optional(),
    duplicate: z.literal(true).optional().describe("The customer already had a lead, with this `lead_id`."),
    moved: z
      .literal(true)
      .optional()
      .describe("The customer was already known, and a newer click reassigned them to its partner."),
    partner_code: z.string().optional(),
    attributed_sales: z
      .array(z.object({ sale_id: id(), commission_id: id() }))
      .optional()
      .describe("The customer's earlier sales that became attributed by this lead."),
    reason: z.string().optional().describe("Reason why the lead was not attributed."),
    click_age_days: int32().optional(),
    window_days: int32().optional(),
    ...warnings,
  })
  .openapi("LeadRecorded");

export const lead = endpoint({
  route: createRoute({
    method: "post",
    path: "/lead",
    operationId: "trackLead",
    tags: ["Tracking"],
    summary: "Record a customer's sign-up",
    description:
      "Send it from your backend with the program's API key, or from a browser without a key. From a browser, the click id " +
      "proves the partner, and the response reveals nothing about the customer. Above a daily number of clicks and leads without a key, leads without a key are stored without `page_url` and `event_name`.",
    ...programKeyOptional(),
    request: { body: plainBody(LeadBody) },
    responses: {
      ...returns("Lead recorded", LeadReply),
      ...refusals(
        [
          ...bodyRefusals,
          "placeholder_id",
          "customer_not_found",
          "customer_of_another_program",
          "program_not_found",
          ...keyRefusals,
          ...commonRefusals,
        ],
        trackingStyle("Lead"),
      ),
    },
  }),
  hook: refuseInvalid(LeadBody, 400),
  handler: async (c) => {
    const body = c.req.valid("json");
    if (isPlaceholderId(body.customer_key ?? "")) return refuseAfterKeyCheck(c, noKey);
    const lead = leadCall(body, c.get("call"), c.get("key"), c.env);
    const locator = locatorOf(lead);
    if (locator === undefined) return refuse(c, lead.isTest ? noProgram : { code: "customer_not_found" });
    const overLimit = await countKeyless(c, "programLead", bookOf(lead));
    if (overLimit !== undefined) return refuse(c, overLimit);
    const outcome = await callLedger(c, locator, (ledger) => ledger.run(lead));
    if (!outcome.ok) return refuse(c, outcome.refusal);
    c.get("log").noted = notedOf(outcome.answer);
    return reply(c, leadReply(outcome.answer, lead));
  },
});

const leadCall = (body: LeadBody, call: Call, key: PresentedKey | undefined, env: Env): LeadCall => ({
  ...call,
  kind: "lead",
  isTest: fields.isTest(body),
  key,
  programId: fields.programIdOf(body),
  ...verifiedClicks(clickKeysOf(env), body.click_ids, body.click_id),
  sentClickId: body.click_id !== null || body.click_ids !== null,
  customerKey: body.customer_key,
  email: body.email === null ? null : maskedEmail(hashSecretOf(env), body.email),
  pageUrl: storedUrl(body.page_url),
  eventName: storedText(body.additional_data?.event_name),
  occurredAt: key === undefined ? call.at : fields.occurredAtOf(body.occurred_at, call.at),
});

const locatorOf = ({ key, programId, clicks }: LeadCall): Locator | undefined =>
  key ?? (programId === null ? clicks.at(-1) : { programId });

/** The program of a lead without a program key, and whether it is live or test, determined as in the Ledger. */
const bookOf = ({ programId, clicks, isTest }: LeadCall) => ({
  programId: programId ?? clicks.findLast((click) => click.isTest === isTest)?.programId ?? null,
  isTest,
});

const messages = {
  attributed: "Lead tracked successfully",
  unattributed: "Lead recorded without attribution",
  provisional:
    "Lead recorded as provisional. This program requires server-side (Bearer) lead tracking to settle attribution.",
} as const;

function leadReply(lead: LeadAnswer, { isTest, key }: LeadCall): z.output<typeof LeadReply> {
  const message = messages[lead.status];
  const head = isTest ? testReply("lead", lead.leadId, lead.programId) : { success: true as const, message };
  if (lead.status === "provisional") return { ...head, provisional: true };
  // Anyone can forge a browser's call, so its response reveals nothing about the customer.
  const known = key && { lead_id: lead.leadId, ...(lead.repeat && { [lead.repeat]: true }) };
  if (lead.status === "attributed") {
    return { ...head, attributed: true, ...known, partner_code: lead.partnerCode, ...(key && salesOf(lead)) };
  }
  const { reason, clickAgeDays, windowDays } = lead;
  return { ...head, attributed: false, ...known, reason, click_age_days: clickAgeDays, window_days: windowDays };
}

function notedOf(lead: LeadAnswer) {
  if (lead.status === "unattributed") return { outcome: "unattributed", code: lead.reason } as const;
  const isRepeated = lead.status === "attributed" && lead.repeat === "duplicate";
  return { outcome: isRepeated ? "duplicate" : "recorded", code: null } as const;
}

function salesOf({ attributedSales: sales }: Extract<LeadAnswer, { status: "attributed" }>) {
  if (sales.length === 0) return {};
  return {
    attributed_sales: sales.map(({ saleId, commissionId }) => ({ sale_id: saleId, commission_id: commissionId })),
  };
}
