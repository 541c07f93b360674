import { createRoute } from "@hono/zod-openapi";
import { hashSecretOf, type Locator } from "../../../env.ts";
import { callLedger } from "../../../http/call-ledger.ts";
import { ok, plainBody } from "../../../http/content.ts";
import type { Ctx } from "../../../http/context.ts";
import { endpoint } from "../../../http/endpoint.ts";
import { countUnsigned } from "../../../http/rate-limits.ts";
import { refuse } from "../../../http/refusal/refuse.ts";
import { bodyRefusals, commonRefusals, keyRefusals, refusals } from "../../../http/refusal/responses.ts";
import { occurredAtOf, refuseInvalid } from "../../../http/refusal/validation.ts";
import { answer, TestData, testAnswer, warnings } from "../../../http/reply.ts";
import * as wire from "../../../http/schema/fields.ts";
import { affOf, isWebUrl } from "../../../http/schema/web-url.ts";
import * as z from "../../../http/schema/zod.ts";
import { visitOf, visitorOf } from "../../../http/visit.ts";
import type { Call, Outcome, PresentedKey } from "../../../operations/operation.ts";
import type { ClickAnswer, ClickCall, Visit } from "../../../operations/track/record-click.ts";
import { anonymous } from "../guards.ts";
import { trackingStyle } from "./error-style.ts";

const noUrl = "affiliate_url is required";
const noCode = "No aff parameter found in affiliate_url";

const maxClickIdLength = 96;
/** The Ledger checks it, since only the Ledger knows the program. */
const previousClickId = z
  .string("existing_click_id must be a string")
  .transform((id) => (id.length > maxClickIdLength ? "" : id));

type Named = wire.NamesProgram & { readonly affiliate_url?: string | undefined };
const isNamed = (body: Named): boolean => body.affiliate_url !== undefined || wire.programIdOf(body) !== undefined;
const hasCode = ({ affiliate_url: url }: Named): boolean =>
  typeof url !== "string" || !isWebUrl(url) || affOf(url) !== undefined;

const ClickBody = z
  .object({
    affiliate_url: wire
      .optionalText(wire.webUrl("affiliate_url"))
      .describe("Landing URL. Its `aff` parameter is the partner's code, case-insensitive. Not required in test mode."),
    program_id: wire
      .optional(wire.programId("program_id"))
      .describe(
        "Program in which to look up the code. Required if several programs have the code and the landing URL's host doesn't identify one of them.",
      ),
    event_id: wire
      .optional(wire.callerId("event_id", 64))
      .describe(
        "Your id for this click. The same id for the same link within 24 hours returns the same `click_id` and counts once.",
      ),
    page_url: wire.pageUrl("page_url"),
    referrer_url: wire.pageUrl("referrer_url"),
    page_title: wire
      .optionalText(wire.text("page_title"))
      .describe('From a browser, stored only if the script tag has `data-svc-titles="on"`.'),
    session_id: wire.optionalText(wire.text("session_id")).describe("Distinguishes visitors. Stored as a keyed hash."),
    user_agent: wire
      .optionalText(wire.text("user_agent", 1024))
      .describe("The visitor's user agent. Only the device details derived from it are stored."),
    screen_resolution: wire.optionalText(wire.text("screen_resolution")),
    viewport_size: wire.optionalText(wire.text("viewport_size")),
    language: wire.optionalText(wire.text("language")),
    timezone: wire.optionalText(wire.text("timezone")),
    existing_click_id: wire
      .optionalText(previousClickId)
      .describe("The visitor's previous click id. Ignored unless it is a valid click id of this program."),
    occurred_at: wire
      .optional(wire.occurredAt())
      .describe("Time of the click, at most 30 days ago. Requires the program's API key."),
    additional_data: wire.optional(wire.additionalData()),
  })
  .refine(...wire.liveNeeds(["affiliate_url"], noUrl))
  .refine(...wire.rule(["affiliate_url"], noCode, hasCode))
  .refine(...wire.rule(["program_id"], "program_id is required", (body: Named) => !wire.isTest(body) || isNamed(body)))
  .openapi("Click", { required: ["affiliate_url"] });
type ClickBody = z.output<typeof ClickBody>;

const ClickReply = z
  .union([
    z.object({
      success: z.literal(true),
      message: z.string().optional(),
      data: TestData.optional(),
      click_id: z.string().describe("Proof of this click. Store it for the visitor and send it with the sign-up."),
      partner_code: z.string().optional(),
      cookie_window_days: z.int(),
      ...warnings,
    }),
    z.object({ success: z.literal(false), message: z.literal("Referral link is inactive"), ...warnings }),
  ])
  .openapi("ClickRecorded");

export const click = endpoint({
  route: createRoute({
    method: "post",
    path: "/click",
    operationId: "trackClick",
    tags: ["Tracking"],
    summary: "Record a click on a referral link",
    description:
      "A 200 response means that the click is stored durably, or that its link is inactive and nothing was stored.",
    ...anonymous(),
    request: { body: plainBody(ClickBody) },
    responses: {
      ...ok("Click recorded, or link inactive", ClickReply),
      ...refusals(trackingStyle("Click"), [
        ...bodyRefusals,
        ...(["link_not_found", "program_not_found", "program_id_required", "occurred_at_needs_key"] as const),
        ...keyRefusals,
        ...commonRefusals,
      ]),
    },
  }),
  hook: refuseInvalid(ClickBody, 30),
  handler: async (c) => {
    const body = c.req.valid("json");
    const pastLimit = await countUnsigned(c, "programClick", wire.bookOf(body));
    if (pastLimit !== undefined) return refuse(c, pastLimit);
    const visit = await visitOf(visitorOf(c), body, hashSecretOf(c.env));
    const click = clickCall(body, c.get("call"), c.get("key"), visit);
    const recorded = record(c, click, body.affiliate_url);
    // Then it may take a second call, which must be made even if the visitor has left by then.
    if (click.programId === undefined) c.executionCtx.waitUntil(recorded);
    const outcome = await recorded;
    return outcome.ok ? answer(c, clickReply(outcome.answer, click.isTest)) : refuse(c, outcome.refusal);
  },
});

async function record(c: Ctx, click: ClickCall, landingUrl: string | undefined): Promise<Outcome<ClickAnswer>> {
  const send = (call: ClickCall) => callLedger(c, locatorOf(call), (ledger) => ledger.recordClick(call));
  const outcome = await send(click);
  if (outcome.ok || outcome.refusal.code !== "program_id_required" || landingUrl === undefined) return outcome;
  // The Public Suffix List is a third as large as all that every click needs.
  const { programOfLanding } = await import("../../../domain/landing-program.ts");
  const programId = programOfLanding(landingUrl, outcome.refusal.owners);
  return programId === undefined ? outcome : send({ ...click, programId });
}

const clickCall = (body: ClickBody, call: Call, key: PresentedKey | undefined, visit: Visit): ClickCall => ({
  ...call,
  kind: "click",
  isTest: wire.isTest(body),
  programId: wire.programIdOf(body),
  code: body.affiliate_url && affOf(body.affiliate_url),
  key,
  occurredAt: occurredAtOf(body.occurred_at, call.at),
  eventId: body.event_id,
  existingClickId: body.existing_click_id,
  eventName: body.additional_data?.event_name,
  visit,
});

const locatorOf = ({ programId, key, code = "" }: ClickCall): Locator =>
  programId === undefined ? (key ?? { code }) : { programId };

function clickReply(click: ClickAnswer, isTest: boolean): z.output<typeof ClickReply> {
  if (!click.recorded) return { success: false, message: "Referral link is inactive" };
  const { eventId, programId, clickId, partnerCode, cookieWindowDays } = click;
  const said = isTest ? testAnswer("click", eventId, programId) : { success: true as const };
  return { ...said, click_id: clickId, partner_code: partnerCode, cookie_window_days: cookieWindowDays };
}
