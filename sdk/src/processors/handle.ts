import type { TributaryClient } from "../client.ts";
import type { TrackingProblem } from "../results.ts";
import { answersTo, messageOf, type ProcessorAnswer } from "./answers.ts";
import type { Found } from "./found.ts";
import type { Keys } from "./keys.ts";
import { type Ahead, answerLater, answerRefundAhead, type Delivery, settle } from "./settle.ts";

/** A payment processor whose events contain all that is needed. */
interface Processor<Event, Options> {
  readonly source: TrackingProblem["source"];
  /** The processor's name and its verifier's name, for messages. */
  readonly names: readonly [vendor: string, verifier: string];
  isEvent(event: unknown): event is Event;
  /** The object that the event is about. */
  objectOf(event: Event): object;
  /** The event's type and id, for messages. */
  titleOf(event: Event): string;
  isTest(event: Event, options: Options): boolean;
  /** Evaluates the event. Throws if the event isn't one of this processor. */
  look(event: Event, tributary: TributaryClient): Found;
  /** The customer and click keys of the refund's payment. Undefined if they can't be known. */
  paymentKeys(event: Event, options: Options): Promise<Keys | undefined>;
  /** True while a missing sale may still arrive. */
  isYoung(event: Event): boolean;
}

export type Handler<Event, Options> = (event: Event, options: Options) => Promise<ProcessorAnswer>;

/** Creates a handler that never rejects, whatever it is given. */
export const handlerOf = <Event, Options extends { readonly tributary: TributaryClient }>(
  processor: Processor<Event, Options>,
): Handler<Event, Options> =>
  safely(async (event, options) => {
    const { source, isEvent, titleOf, objectOf, look } = processor;
    const { tributary } = options;
    if (!isEvent(event) || isRenamed(objectOf(event))) {
      return answersTo(source, "an event", tributary).later(500, notAsSent(processor.names));
    }
    const answer = answersTo(source, titleOf(event), tributary);
    const delivery = { tributary, answer, testMode: processor.isTest(event, options) };
    let found: Found;
    try {
      found = look(event, tributary);
    } catch (error) {
      // The event itself is the cause, so a second delivery would fail too.
      return answer.refused(messageOf(error));
    }
    try {
      const settled = await settle(found, delivery);
      if (!("ahead" in settled)) return settled;
      return await answerAhead(settled, delivery, processor.isYoung(event), () =>
        processor.paymentKeys(event, options),
      );
    } catch (error) {
      return answer.later(503, messageOf(error));
    }
  });

/** Wraps a handler so that after a failure, the processor delivers the event again and no payment is lost. */
export const safely =
  <Event, Options extends { readonly tributary: TributaryClient }>(
    handle: Handler<Event, Options>,
  ): Handler<Event, Options> =>
  async (event, options) => {
    try {
      const isClient = typeof Object(options).tributary?.report === "function";
      return isClient ? await handle(event, options) : { status: 500, body: "pass your client: { tributary }" };
    } catch (error) {
      return { status: 500, body: messageOf(error) };
    }
  };

export const notAsSent = ([vendor, verifier]: readonly [vendor: string, verifier: string]): string =>
  `it isn't an event as ${vendor} sends it. Pass the event that ${verifier} returned: not its text, and not an object of ` +
  "another library, which may rename the fields";

/** Processors' JSON has names in snake_case. Their libraries' objects have the same names in camelCase. */
export function isRenamed(object: object): boolean {
  const names = Object.keys(object).join(" ");
  return /[a-z][A-Z]/.test(names) && !names.includes("_");
}

async function answerAhead(
  { ahead, failure }: Ahead,
  delivery: Delivery,
  isYoung: boolean,
  paymentKeys: () => Promise<Keys | undefined>,
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

/**
 * Reads an amount, which some processors write as text. Throws a `TypeError` unless it is a whole number in digits
 * alone.
 */
export function wholeAmount(value: unknown, name: string): number {
  const amount = typeof value === "string" && /^-?\d+$/.test(value) ? Number(value) : value;
  if (typeof amount !== "number" || !Number.isSafeInteger(amount)) {
    throw new TypeError(`${name} isn't an amount in the currency's smallest unit`);
  }
  return amount;
}
