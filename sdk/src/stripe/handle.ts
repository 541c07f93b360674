import type { CallOptions } from "../inputs.ts";
import type { Failure, RefundResult, SaleResult } from "../results.ts";
import { type Answers, answersTo, type StripeAnswer } from "./answers.ts";
import { type Found, isYoung, type Reported, type StripeOptions } from "./found.ts";
import { look } from "./look.ts";
import { inTime } from "./look-up.ts";
import type { StripeEvent } from "./objects.ts";
import { withKeysFromStripe } from "./payment-events.ts";
import { paymentKeys } from "./refund-events.ts";

export type { StripeAnswer } from "./answers.ts";

/** Stripe waits for the response, and retries by itself. */
const inWebhook = { retries: 0, timeoutMs: 3_000, onError: () => {} } satisfies CallOptions;

interface Delivery {
  readonly event: StripeEvent;
  readonly options: StripeOptions;
  readonly answer: Answers;
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
export async function handleStripeEvent(event: StripeEvent, options: StripeOptions): Promise<StripeAnswer> {
  const delivery = { event, options, answer: answersTo(event, options.tributary) };
  try {
    return await settle(await inTime(look(event, options)), delivery);
  } catch (error) {
    return answerTo(error, delivery);
  }
}

async function settle(found: Found, delivery: Delivery): Promise<StripeAnswer> {
  const { event, options, answer } = delivery;
  if ("skip" in found) return answer.done(`Nothing to report: ${found.skip}.`);
  if ("refused" in found) return answer.refused(found.refused);
  if ("missing" in found) return isYoung(event) ? answer.later(500, found.missing) : answer.refused(found.missing);
  const sent = trySending(found, event, options);
  if (typeof sent === "string") return answer.refused(sent);
  const result = await sent;
  if (result.ok) return recorded(found, result, answer);
  if ("refund" in found) {
    const isAhead = result.status === 404 && result.error.message.startsWith("Sale not found");
    return isAhead ? refundAhead(found.ifUnknown, result, delivery) : unsent(result, answer);
  }
  return result.error.details.unknownSubscriptionId === true
    ? renewalAhead(found.sale.subscriptionId, result, delivery)
    : unsent(result, answer);
}

/** Returns the message if the client refuses the arguments. */
function trySending(
  found: Reported,
  { livemode }: StripeEvent,
  { tributary, staging }: StripeOptions,
): Promise<SaleResult | RefundResult> | string {
  const testMode = livemode === false && !staging;
  try {
    if ("refund" in found) return tributary.trackRefund({ ...found.refund, testMode }, inWebhook);
    return testMode ? tributary.trackTestSale(found.sale, inWebhook) : tributary.trackSale(found.sale, inWebhook);
  } catch (error) {
    return messageOf(error);
  }
}

function recorded(found: Reported, { duplicate, data }: SaleResult | RefundResult, answer: Answers): StripeAnswer {
  if (duplicate || (data && "status" in data && data.status === "skipped")) return answer.done("Already recorded.");
  const isDoubtful = "refund" in found || (data && "reason" in data && data.reason === "customer_not_found");
  if (found.doubt && isDoubtful) answer.report(found.doubt);
  return answer.done("Recorded.");
}

function unsent(failure: Failure, answer: Answers): StripeAnswer {
  const { status, error, retryable } = failure;
  const isFinal = !retryable && [400, 409, 413].includes(status);
  return isFinal ? answer.refused(error.message, failure) : answer.later(503, error.message, failure);
}

/** Stripe delivers in any order, for three days: a sale that is still expected may arrive on the last of them. */
async function refundAhead(ifUnknown: string | undefined, failure: Failure, delivery: Delivery): Promise<StripeAnswer> {
  const { event, options, answer } = delivery;
  const { message } = failure.error;
  const keys = await inTime(paymentKeys(event, options));
  if (!keys) {
    if (!isYoung(event)) return answer.refused(ifUnknown ?? message, failure);
    return ifUnknown ? answer.later(500, ifUnknown, failure) : { status: 503, body: message };
  }
  const { programId } = options.tributary;
  if (keys.programId && keys.programId !== String(programId)) {
    return answer.refused(`its payment belongs to program ${keys.programId}, the key to ${programId}`, failure);
  }
  if (!keys.customerKey && !keys.clickId) {
    return answer.refused("its payment has none of our metadata, and no sale has its id", failure);
  }
  return isYoung(event) ? { status: 503, body: message } : answer.later(503, message, failure);
}

async function renewalAhead(
  subscriptionId: string | null | undefined,
  failure: Failure,
  delivery: Delivery,
): Promise<StripeAnswer> {
  const { event, options, answer } = delivery;
  const { message } = failure.error;
  if (!options.stripe) return isYoung(event) ? { status: 503, body: message } : answer.refused(message, failure);
  const known = await inTime(withKeysFromStripe(event, options));
  if (known) return settle(known, delivery);
  return answer.refused(
    `no sale has named its subscription ${subscriptionId}, and Stripe has none of our metadata for it. ` +
      "Import the subscription's first payment with its subscription_id, or set the metadata on the subscription",
    failure,
  );
}

function answerTo(error: unknown, { event, options, answer }: Delivery): StripeAnswer {
  const message = messageOf(error);
  // Caused by the event itself, unless Stripe was asked: then its response may be the cause.
  const isFault = error instanceof TypeError || error instanceof RangeError;
  if (isFault && !options.stripe) return answer.refused(message);
  const status = Number(Object(error).statusCode);
  const isRefusal = status >= 400 && status < 500 && ![401, 403, 429].includes(status);
  // A lookup that Stripe refused will hardly succeed later.
  return (isFault || isRefusal) && !isYoung(event) ? answer.refused(message) : answer.later(503, message);
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
