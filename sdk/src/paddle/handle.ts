import type { TributaryClient } from "../client.ts";
import { type Handler, handlerOf } from "../processors/handle.ts";
import { inTime } from "../processors/in-time.ts";
import { keysIn } from "../processors/keys.ts";
import { secondsIn } from "../processors/payment.ts";
import { isOfToday } from "../processors/settle.ts";
import { look } from "./look.ts";
import type { Adjustment, PaddleEvent } from "./objects.ts";
import { isEvent } from "./verify.ts";

export interface PaddleOptions {
  readonly tributary: TributaryClient;
  /**
   * True for a sandbox account. Its events, which don't say that they are from a sandbox, are then recorded in the
   * program's test book.
   */
  readonly sandbox?: boolean | undefined;
  /**
   * Returns the custom data of a transaction, from Paddle's API. Called for a refund whose sale isn't known: if the
   * custom data has no keys of `checkoutMetadata`, no sale is expected, and Paddle needn't deliver the refund again.
   * Without this option, Paddle delivers the refund again for three days.
   */
  readonly customDataOf?: ((transactionId: string) => Promise<object | null | undefined>) | undefined;
}

/** This limit, together with a call to the service, is below the five seconds that Paddle waits. */
const lookUpMs = 1_500;

/**
 * Reports the payment, refund or chargeback of a verified event, and returns the response for Paddle. Never rejects.
 *
 * ```js
 * const { ok, event, reason } = await verifyPaddleEvent(await request.text(), request.headers, secret);
 * if (!ok) return new Response(reason, { status: 400 });
 * const { status, body } = await handlePaddleEvent(event, { tributary });
 * return new Response(body, { status });
 * ```
 *
 * Events may arrive twice, late and in any order. Amounts are what the customer paid, without tax. An event that can't
 * be reported is passed to the client's `onError`, and answered with 200.
 */
export const handlePaddleEvent: Handler<PaddleEvent, PaddleOptions> = handlerOf({
  source: "paddle",
  names: ["Paddle", "verifyPaddleEvent"],
  isEvent,
  objectOf: ({ data }) => data,
  titleOf: ({ event_type, event_id }) => `${event_type} ${event_id}`,
  isTest: (_, { sandbox = false }) => sandbox,
  isYoung: ({ occurred_at }) => isOfToday(secondsIn(occurred_at)),
  look,
  async paymentKeys({ data }, { customDataOf }) {
    const { transaction_id } = data as Adjustment;
    return customDataOf && keysIn(await inTime(customDataOf(transaction_id), lookUpMs));
  },
});
