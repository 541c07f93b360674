import type { TributaryClient } from "../client.ts";
import type { TrackingProblem } from "../results.ts";
import { answersTo, messageOf, type ProcessorAnswer } from "./answers.ts";
import type { Found } from "./found.ts";
import type { Keys } from "./keys.ts";
import { type Ahead, answerLater, answerRefundAhead, type Delivery, settle } from "./settle.ts";

/** An event of a processor whose events contain all that is needed. */
export interface Handling {
  readonly source: TrackingProblem["source"];
  /** Its type and id, for messages. */
  readonly event: string;
  readonly tributary: TributaryClient;
  readonly testMode: boolean;
  /** Throws if it isn't such an event. */
  look(): Found;
  /** The keys of a refund's payment. Undefined if they can't be known. */
  paymentKeys(): Promise<Keys | undefined>;
  /** True while it is no reason for concern that a sale is missing. */
  readonly isYoung: boolean;
}

/** Never rejects. */
export async function handle(handling: Handling): Promise<ProcessorAnswer> {
  const { source, event, tributary, testMode } = handling;
  const answer = answersTo(source, event, tributary);
  const delivery = { tributary, answer, testMode };
  let found: Found;
  try {
    found = handling.look();
  } catch (error) {
    // Caused by the event itself, which stays as it is.
    return answer.refused(messageOf(error));
  }
  try {
    const settled = await settle(found, delivery);
    return "ahead" in settled ? await answerAhead(settled, handling, delivery) : settled;
  } catch (error) {
    return answer.later(503, messageOf(error));
  }
}

async function answerAhead(
  { ahead, failure }: Ahead,
  { paymentKeys, isYoung }: Handling,
  delivery: Delivery,
): Promise<ProcessorAnswer> {
  const { answer } = delivery;
  if ("sale" in ahead) {
    return answer.refused(
      `no sale has named its subscription ${ahead.sale.subscriptionId}, and it has none of our metadata. ` +
        "Import the subscription's first payment with its subscription_id",
      failure,
    );
  }
  const keys = await paymentKeys();
  return keys ? answerRefundAhead(keys, failure, delivery, isYoung) : answerLater(failure, answer, isYoung);
}

/** Throws a `TypeError` unless it is whole. Some processors write amounts as text. */
export function wholeAmount(value: unknown, name: string): number {
  const amount = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
  if (typeof amount !== "number" || !Number.isSafeInteger(amount)) {
    throw new TypeError(`${name} isn't an amount in the currency's smallest unit`);
  }
  return amount;
}
