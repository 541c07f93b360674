import { isPlaceholderId } from "#domain/caller-id.ts";
import { codeParamForm } from "#domain/code-param.ts";
import type { LandingCode } from "#domain/landing.ts";
import { isOfPlace } from "#domain/program-place.ts";
import { home } from "#domain/shard.ts";
import { storedText } from "#domain/visit-text.ts";
import { programKeyIfPast } from "#doors/key/guards.ts";
import { hashSecretOf } from "#env.ts";
import { callLedger, type Locator } from "#http/call-ledger.ts";
import type { Ctx } from "#http/context.ts";
import { countKeyless } from "#http/rate-limits.ts";
import { trackingStyle } from "#http/refusal/tracking-style.ts";
import { reply, warnings } from "#http/reply.ts";
import * as fields from "#http/schema/fields.ts";
import { int32 } from "#http/schema/integers.ts";
import { codeOf, isWebUrl, subIdOf } from "#http/schema/web-url.ts";
import * as z from "#http/schema/zod.ts";
import { TestData, testReply } from "#http/test-mode.ts";
import {
  bodyRefusals,
  commonRefusals,
  createRoute,
  endpoint,
  keyRefusals,
  plainBody,
  refusals,
  refuse,
  refuseInvalid,
  returns,
} from "#http/tracking-endpoint.ts";
import type { Call, Outcome, PresentedKey } from "#operations/operation.ts";
import type { ClickAnswer, ClickCall } from "#operations/track/record-click.ts";
import { visitOf, visitorOf } from "./visit.ts";

const noUrl = "affiliate_url is required";
const noCode = "No aff parameter found in affiliate_url";

/**
 * The limit has room for the parameters that campaign tools append. Backends send all of them, the script only a few.
 */
const maxLandingLength = 8_192;
const maxClickIdLength = 96;
/** Not verified here, because only the Ledger knows to which program the click belongs. */
const previousClickId = z
  .string("existing_click_id must be a string")
  .trim()
  .transform((id) => (id.length > maxClickIdLength ? "" : id));

interface Named extends fields.ProgramReference {
  readonly affiliate_url: string | null;
  readonly code_param: string | null;
}
const needsProgram = (body: Named): boolean =>
  body.code_param !== null || (fields.isTest(body) && body.affiliate_url === null);
const hasCode = ({ affiliate_url: url, code_param: param }: Named): boolean =>
  typeof url !== "string" ||
  !isWebUrl(url, maxLandingLength) ||
  (param !== null && (typeof param !== "string" || !codeParamForm.test(param))) ||
  codeOf(url, param).code !== null;

const ClickBody = z
  .object({
    affiliate_url: fields
      .optionalText(fields.webUrl("affiliate_url", maxLandingLength))
      .describe(
        "Landing URL. Its `aff` parameter is the partner's code (case-insensitive), `aff_sub` (`[A-Za-z0-9._-]{1,64}`) the sub-id. Optional in test mode.",
      )
      .openapi({ type: "string" }),
    program_id: fields
      .optional(fields.programId("program_id"))
      .describe(
        "Program in which to look up the code. Required if several programs have the code and the landing URL's host doesn't identify one of them.",
      ),
    code_param: fields
      .optional(fields.codeParam("code_param"))
      .describe(
        "Name of the query parameter with the code, if it isn't `aff`: for example `via`, in links of a previous affiliate program. Requires `program_id`. Doesn't find codes that partners chose themselves.",
      ),
    event_id: fields
      .optional(fields.callerId("event_id", 64))
      .describe(
        "Your id for this click. The same id for the same link within 24 hours returns the same `click_id` and is counted once.",
      ),
    page_url: fields.pageUrl("page_url"),
    referrer_url: fields.pageUrl("referrer_url"),
    page_title: fields
      .optionalText(fields.text("page_title"))
      .describe(
        'The first 128 characters are stored; from a browser only if the script tag has `data-svc-titles="on"`.',
      ),
    session_id: fields
      .optionalText(fields.text("session_id"))
      .describe("Id of the visitor's session, used to count unique visitors. Stored as a keyed hash."),
    user_agent: fields
      .optionalText(fields.text("user_agent", 1024))
      .describe("The visitor's user agent. Only the device details derived from it are stored."),
    screen_resolution: fields
      .optionalText(fields.text("screen_resolution"))
      .describe("Stored only in the form `1920x1080`."),
    viewport_size: fields.optionalText(fields.text("viewport_size")).describe("Stored only in the form `1280x720`."),
    language: fields.optionalText(fields.text("language")).describe("Stored only if it is a BCP 47 tag: `en-US`."),
    timezone: fields
      .optionalText(fields.text("timezone"))
      .describe("A time zone name (IANA), such as `Europe/Berlin`. Values in another form are ignored."),
    existing_click_id: fields
      .optionalText(previousClickId)
      .describe("The visitor's previous click id. Ignored unless it is a valid click id of this program."),
    limited: fields
      .omittable(fields.flag("limited"))
      .describe(
        "Stores only what is needed to credit the partner: no page, referrer, title, sub-id, country, device or visitor. For visitors who opt out, for example by Global Privacy Control. Each such click counts as a new visitor.",
      ),
    occurred_at: fields
      .optional(fields.occurredAt())
      .describe("Time of the click, at most 30 days ago (400 in test mode). Requires the program's API key."),
    additional_data: fields.optional(fields.additionalData()),
  })
  .refine(...fields.requiredUnlessTest(["affiliate_url"], noUrl))
  .refine(...fields.rule(["affiliate_url"], noCode, hasCode))
  .refine(
    ...fields.rule(
      ["program_id"],
      "program_id is required",
      (body: Named) => !needsProgram(body) || fields.programIdOf(body) !== null,
    ),
  )
  .openapi("Click", { required: ["affiliate_url"] });
type ClickBody = z.output<typeof ClickBody>;

const ClickRecorded = z
  .object({
    success: z.literal(true),
    message: z.string().optional(),
    data: TestData.optional(),
    click_id: z.string().describe("Proof of this click. Store it for the visitor and send it with the sign-up."),
    partner_code: z.string().optional(),
    cookie_window_days: int32(),
    ...warnings,
  })
  .openapi("ClickRecorded");

const LinkInactive = z
  .object({ success: z.literal(false), message: z.literal("Referral link is inactive"), ...warnings })
  .openapi("LinkInactive", {
    description:
      "The link, its partner or the program is paused. Nothing was recorded, and a repeat gets the same response.",
  });

const ClickReply = z.union([ClickRecorded, LinkInactive]);

export const click = endpoint({
  route: createRoute({
    method: "post",
    path: "/click",
    operationId: "trackClick",
    tags: ["Tracking"],
    summary: "Record a click on a referral link",
    description:
      "A 200 response means that the click is stored durably, or that its link is inactive and nothing was stored. Above a daily number of clicks and leads without a key, clicks without a key are stored without page, referrer, title, language, time zone and screen.",
    ...programKeyIfPast(),
    request: { body: plainBody(ClickBody) },
    responses: {
      ...returns("Click recorded, or link inactive", ClickReply),
      ...refusals(
        [
          ...bodyRefusals,
          "link_not_found",
          "program_not_found",
          "program_id_required",
          "occurred_at_needs_key",
          ...keyRefusals,
          ...commonRefusals,
        ],
        trackingStyle("Click"),
      ),
    },
  }),
  hook: refuseInvalid(ClickBody, 30, 400),
  handler: async (c) => {
    const body = c.req.valid("json");
    const overLimit = await countKeyless(c, "programClick", fields.bookOf(body));
    if (overLimit !== undefined) return refuse(c, overLimit);
    const { code, codeParam } = codeOf(body.affiliate_url, body.code_param);
    const visit = await visitOf(visitorOf(c), { ...body, code_param: codeParam }, hashSecretOf(c.env));
    const click = { ...clickCall(body, c.get("call"), c.get("key")), code, codeParam, visit };
    const recorded = record(c, click, body.affiliate_url);
    // Without a program id, a second call may be needed. It must run even if the visitor has left the page.
    if (click.programId === null) c.executionCtx.waitUntil(recorded);
    const outcome = await recorded;
    if (!outcome.ok) return refuse(c, outcome.refusal);
    if (!outcome.answer.recorded) c.get("log").noted = { outcome: "refused", code: "link_inactive" };
    return reply(c, clickReply(outcome.answer, click.isTest));
  },
});

async function record(c: Ctx, click: ClickCall, landingUrl: string | null): Promise<Outcome<ClickAnswer>> {
  const send = (call: ClickCall) => callLedger(c, locatorOf(call), (ledger) => ledger.run(call));
  const outcome = await send(click);
  // A call with only a code is sent again with the id of the program that has the code.
  if (!outcome.ok && isOfPlace(outcome.refusal)) return send({ ...click, programId: outcome.refusal.programId });
  if (outcome.ok || outcome.refusal.code !== "program_id_required" || landingUrl === null) return outcome;
  // Loaded when needed: the Public Suffix List is a third as large as all code of a click.
  const { programOfLanding } = await import("#domain/landing-program.ts");
  const { owners } = outcome.refusal;
  const programId = owners.length === 1 ? owners[0]?.programId : programOfLanding(landingUrl, owners);
  return programId === undefined ? outcome : send({ ...click, programId });
}

const clickCall = (
  body: ClickBody,
  call: Call,
  key: PresentedKey | undefined,
): Omit<ClickCall, keyof LandingCode | "visit"> => ({
  ...call,
  kind: "click",
  isTest: fields.isTest(body),
  programId: fields.programIdOf(body),
  key,
  occurredAt: fields.occurredAtOf(body.occurred_at, call.at),
  sub: subIdOf(body.affiliate_url),
  // Ignores a placeholder that wasn't replaced by an id: all clicks with it would otherwise count as repetitions of
  // one.
  eventId: isPlaceholderId(body.event_id ?? "") ? null : body.event_id,
  existingClickId: body.existing_click_id,
  eventName: storedText(body.additional_data?.event_name),
  isLimited: body.limited === true,
});

/** A call with neither program id nor key is sent to the home shard, which has the codes of all programs. */
function locatorOf({ programId, key }: ClickCall): Locator {
  const named = programId ?? key?.programId;
  return named === undefined ? { shard: home } : { programId: named, isKept: true };
}

function clickReply(click: ClickAnswer, isTest: boolean): z.output<typeof ClickReply> {
  if (!click.recorded) return { success: false, message: "Referral link is inactive" };
  const { eventId, programId, clickId, partnerCode, cookieWindowDays } = click;
  const head = isTest ? testReply("click", eventId, programId) : { success: true as const };
  return { ...head, click_id: clickId, partner_code: partnerCode, cookie_window_days: cookieWindowDays };
}
