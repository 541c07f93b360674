import { answersTo, messageOf, type ProcessorAnswer } from "../processors/answers.ts";
import { type Handler, isRenamed, notAsSent, safely } from "../processors/handle.ts";
import { inTime } from "../processors/in-time.ts";
import { type Ahead, answerLater, answerRefundAhead, type Delivery, settle } from "../processors/settle.ts";
import type { Failure } from "../results.ts";
import { isYoung, type StripeFound, type StripeOptions } from "./found.ts";
import { look } from "./look.ts";
import { isEvent, type StripeEvent, verifier } from "./objects.ts";
import { withKeysFromStripe } from "./payment-events.ts";
import { paymentKeys } from "./refund-events.ts";

/** The response for Stripe, which delivers an event again for up to three days. */
export type StripeAnswer = ProcessorAnswer;

interface StripeDelivery extends Delivery {
  readonly event: StripeEvent;
  readonly options: StripeOptions;
}

/**
 * Reports the payment, refund or dispute of a verified event, and returns the response for Stripe. Never rejects.
 *
 * ```js
 * const event = await stripe.webhooks.constructEventAsync(rawBody, signature, webhookSecret);
 * const { status, body } = await handleStripeEvent(event, { tributary, stripe, invoices: true });
 * return new Response(body, { status });
 * ```
 *
 * Events may arrive twice, late and in any order. Amounts are net of tax and shipping unless these are included. Sales
 * have the time of the payment. An event that can't be reported is passed to the client's `onError`, and answered with
 * 200.
 */
export const handleStripeEvent: Handler<StripeEvent, StripeOptions> = safely(async (event, options) => {
  if (!isEvent(event) || isRenamed(Object(event.data?.object))) {
    return answersTo("stripe", "an event", options.tributary).later(500, notAsSent(verifier));
  }
  const delivery = deliveryOf(event, options);
  try {
    return await settleOrWait(await inTime(look(event, options)), delivery);
  } catch (error) {
    return answerTo(error, delivery);
  }
});

function deliveryOf(event: StripeEvent, options: StripeOptions): StripeDelivery {
  const { type, id, livemode } = event;
  const { tributary, staging } = options;
  const answer = answersTo("stripe", `${type} ${id}`, tributary);
  return { event, options, tributary, answer, testMode: livemode === false && !staging };
}

async function settleOrWait(found: StripeFound, delivery: StripeDelivery): Promise<ProcessorAnswer> {
  if ("missing" in found) return waitADay(found.missing, delivery);
  const settled = await settle(found, delivery);
  return "ahead" in settled ? answerAhead(settled, delivery) : settled;
}

/** Stripe delivers in any order, for three days, so a sale that is still expected may arrive on the third day. */
async function answerAhead({ ahead, failure }: Ahead, delivery: StripeDelivery): Promise<ProcessorAnswer> {
  const { event, options, answer } = delivery;
  if ("refund" in ahead) {
    const keys = await inTime(paymentKeys(event, options));
    if (keys) return answerRefundAhead(keys, failure, delivery, isYoung(event));
    if (ahead.ifUnknown) return waitADay(ahead.ifUnknown, delivery, failure);
  } else if (options.stripe) {
    const known = await inTime(withKeysFromStripe(event, options));
    if (known) return settleOrWait(known, delivery);
    return answer.refused(
      `no sale has named its subscription ${ahead.sale.subscriptionId}, and Stripe has none of our metadata for it. ` +
        "Import the subscription's first payment with its subscription_id, or set the metadata on the subscription",
      failure,
    );
  }
  return isYoung(event) ? answerLater(failure, answer, true) : answer.refused(failure.error.message, failure);
}

const waitADay = (problem: string, { event, answer }: StripeDelivery, failure?: Failure): ProcessorAnswer =>
  isYoung(event) ? answer.later(500, problem, failure) : answer.refused(problem, failure);

function answerTo(error: unknown, { event, options, answer }: StripeDelivery): StripeAnswer {
  const message = messageOf(error);
  // These errors come from the event itself or, if Stripe was asked, possibly from Stripe's response.
  const isFault = error instanceof TypeError || error instanceof RangeError;
  if (isFault && !options.stripe) return answer.refused(message);
  const status = Number(Object(error).statusCode);
  const isRefusal = status >= 400 && status < 500 && ![401, 403, 429].includes(status);
  // If Stripe refused a lookup, a later lookup is unlikely to succeed.
  return (isFault || isRefusal) && !isYoung(event) ? answer.refused(message) : answer.later(503, message);
}
