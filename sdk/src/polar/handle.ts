import type { TributaryClient } from "../client.ts";
import { type Handler, handlerOf } from "../processors/handle.ts";
import { keysOf, look } from "./look.ts";
import type { Order, PolarEvent } from "./objects.ts";
import { isEvent } from "./verify.ts";

export interface PolarOptions {
  readonly tributary: TributaryClient;
  /**
   * True for Polar's sandbox. Its events, which don't say that they are from the sandbox, are then recorded in the
   * program's test book.
   */
  readonly sandbox?: boolean | undefined;
}

/**
 * Reports the payment or refund of a verified event, and returns the response for Polar. Never rejects.
 *
 * ```js
 * const { ok, event, reason } = await verifyPolarEvent(await request.text(), request.headers, secret);
 * if (!ok) return new Response(reason, { status: 400 });
 * const { status, body } = await handlePolarEvent(event, { tributary });
 * return new Response(body, { status });
 * ```
 *
 * Events may arrive twice, late and in any order. Amounts are what the customer paid, without tax. An event that
 * can't be reported is passed to the client's `onError`.
 */
export const handlePolarEvent: Handler<PolarEvent, PolarOptions> = handlerOf({
  source: "polar",
  names: ["Polar", "verifyPolarEvent"],
  isEvent,
  objectOf: ({ data }) => data,
  titleOf: ({ type, data }) => `${type} ${(data as Partial<Order>).id}`,
  isTest: (_, { sandbox = false }) => sandbox,
  isYoung: () => false,
  look,
  paymentKeys: async ({ data }) => keysOf(data as Order),
});
