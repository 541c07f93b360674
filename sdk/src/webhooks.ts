import type { WebhookEvent } from "./events.ts";
import { isObject } from "./fields.ts";
import { inCamelCase } from "./names.ts";
import { base64Keys, standardHeaders, standardText, type Verified, type Verifier, verifierOf } from "./signature.ts";

export type {
  EventApplication,
  EventCommission,
  EventLead,
  EventLeadMoved,
  EventLineSettled,
  EventPartner,
  EventPayout,
  EventPayoutLine,
  EventRefund,
  EventSale,
  WebhookEvent,
  WebhookEventType,
} from "./events.ts";

export type { WebhookFault, WebhookHeaders, WebhookOptions } from "./signature.ts";

export type WebhookResult = Verified<WebhookEvent>;

const isEvent = (event: unknown): event is WebhookEvent =>
  isObject(event) && typeof event.type === "string" && isObject(event.data);

/**
 * Checks that a delivery comes from your service, and returns its event. Never rejects, whatever it is given.
 *
 * `rawBody` is the body exactly as it arrived, not parsed. `secrets`: the endpoint's `whsec_…`; while you replace it,
 * both. A delivery may arrive again: skip an event whose `id` you know. Needs the Web Crypto API: Node 20 or later,
 * Workers, Deno, Bun.
 */
export const verifyWebhook: Verifier<WebhookEvent> = verifierOf(
  standardHeaders,
  [base64Keys, standardText],
  isEvent,
  (json) => JSON.parse(inCamelCase(json)),
);
