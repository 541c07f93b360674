import type { TributaryClient } from "../client.ts";
import type { CallOptions, SaleInput } from "../inputs.ts";
import type { Failure, RefundResult, SaleResult } from "../results.ts";
import { type Answers, joined, messageOf, type ProcessorAnswer } from "./answers.ts";
import type { Found, Reported } from "./found.ts";
import { hasKeys, type Keys, otherProgram } from "./keys.ts";

/** The options of calls that are made in a webhook: the processor waits for the response, and retries by itself. */
const inWebhook = { retries: 0, timeoutMs: 3_000, onError: () => {} } satisfies CallOptions;

export interface Delivery {
  readonly tributary: TributaryClient;
  readonly answer: Answers;
  readonly testMode: boolean;
}

/**
 * A refund whose sale isn't recorded yet, or a sale that names only an unknown subscription.
 */
export interface Ahead {
  readonly ahead: Reported;
  readonly failure: Failure;
}

export async function settle(found: Found, delivery: Delivery): Promise<ProcessorAnswer | Ahead> {
  const { answer } = delivery;
  if ("skip" in found) return answer.done(`Nothing to report: ${found.skip}.`);
  if ("refused" in found) return answer.refused(found.refused);
  const sent = trySending(found, delivery);
  if (typeof sent === "string") return answer.refused(sent);
  const result = await sent;
  if (result.ok) return recorded(found, result, answer);
  const { status, error } = result;
  const isAhead =
    "refund" in found
      ? status === 404 && error.message.startsWith("Sale not found")
      : error.details.unknownSubscriptionId === true;
  return isAhead ? { ahead: found, failure: result } : unsent(result, answer);
}

/** Returns a message if the client refuses the arguments. */
function trySending(found: Reported, { tributary, testMode }: Delivery): Promise<SaleResult | RefundResult> | string {
  try {
    if ("refund" in found) return tributary.trackRefund({ ...found.refund, testMode }, inWebhook);
    const { sale } = found;
    const send = (own: SaleInput) =>
      testMode ? tributary.trackTestSale(own, inWebhook) : tributary.trackSale(own, inWebhook);
    return send(sale).then((result) => (isUnknownAuto(sale, result) ? send({ ...sale, isRecurring: true }) : result));
  } catch (error) {
    return messageOf(error);
  }
}

/** True if a service before 0.2.0 got `"auto"`, which it doesn't understand. */
const isUnknownAuto = ({ isRecurring }: SaleInput, result: SaleResult): boolean =>
  isRecurring === "auto" && !result.ok && result.status === 400 && result.error.message.includes("is_recurring");

function recorded(found: Reported, { duplicate, data }: SaleResult | RefundResult, answer: Answers): ProcessorAnswer {
  if (duplicate || (data && "status" in data && data.status === "skipped")) return answer.done("Already recorded.");
  const isDoubtful = "refund" in found || (data && "reason" in data && data.reason === "customer_not_found");
  const problem = joined(found.ignored, isDoubtful && found.doubt);
  if (problem) answer.report(problem);
  return answer.done("Recorded.");
}

function unsent(failure: Failure, answer: Answers): ProcessorAnswer {
  const { status, error, retryable } = failure;
  const isFinal = !retryable && [400, 409, 413].includes(status);
  return isFinal ? answer.refused(error.message, failure) : answer.later(503, error.message, failure);
}

/**
 * Processors deliver in any order, so a refund may arrive before its sale. Such a refund is answered with 503, so that
 * the processor delivers it again, unless the keys of its payment show that there will be no sale. If `isQuiet`, the
 * 503 isn't passed to `onError`.
 */
export function answerRefundAhead(
  keys: Keys,
  failure: Failure,
  { answer, tributary }: Delivery,
  isQuiet: boolean,
): ProcessorAnswer {
  const problem =
    otherProgram(keys, tributary) ??
    (hasKeys(keys) ? undefined : "its payment has none of our metadata, and no sale has its id");
  return problem ? answer.refused(problem, failure) : answerLater(failure, answer, isQuiet);
}

export const answerLater = (failure: Failure, answer: Answers, isQuiet: boolean): ProcessorAnswer =>
  isQuiet ? { status: 503, body: failure.error.message } : answer.later(503, failure.error.message, failure);

const daySeconds = 24 * 60 * 60;

export const isOfToday = (seconds: number | undefined): boolean =>
  seconds !== undefined && Date.now() / 1_000 - seconds < daySeconds;
