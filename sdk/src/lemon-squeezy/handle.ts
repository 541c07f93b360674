import type { TributaryClient } from "../client.ts";
import { type Handler, handlerOf } from "../processors/handle.ts";
import { keysIn } from "../processors/keys.ts";
import { look } from "./look.ts";
import type { Charge, LemonSqueezyEvent } from "./objects.ts";
import { isEvent } from "./verify.ts";

export interface LemonSqueezyOptions {
  readonly tributary: TributaryClient;
  /**
   * Records payments of the store's test mode like real ones, for a program that is used only for staging. Default: they
   * are recorded in the program's test book.
   */
  readonly staging?: boolean | undefined;
}

/**
 * Reports the payment or refund of a verified event, and returns the response for Lemon Squeezy. Never rejects.
 *
 * ```js
 * const { ok, event, reason } = await verifyLemonSqueezyEvent(await request.text(), request.headers, secret);
 * if (!ok) return new Response(reason, { status: 400 });
 * const { status, body } = await handleLemonSqueezyEvent(event, { tributary });
 * return new Response(body, { status });
 * ```
 *
 * Events may arrive twice and in any order. Amounts are what the customer paid, without tax. An event that can't be
 * reported is passed to the client's `onError`. So is an event that is answered with 503, because Lemon Squeezy
 * delivers an event only four times, within minutes: send the event again from Lemon Squeezy's dashboard.
 */
export const handleLemonSqueezyEvent: Handler<LemonSqueezyEvent, LemonSqueezyOptions> = handlerOf({
  source: "lemon-squeezy",
  names: ["Lemon Squeezy", "verifyLemonSqueezyEvent"],
  isEvent,
  objectOf: ({ data }) => data.attributes,
  titleOf: ({ meta, data }) => `${meta.event_name} ${data.id}`,
  isTest: ({ data }, { staging }) => (data.attributes as Charge).test_mode === true && !staging,
  isYoung: () => false,
  look,
  paymentKeys: async ({ meta }) => keysIn(meta.custom_data),
});
