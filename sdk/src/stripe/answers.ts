import type { TributaryClient } from "../client.ts";
import type { Failure } from "../results.ts";
import type { StripeEvent } from "./objects.ts";

/** The response for Stripe. */
export interface StripeAnswer {
  /** 200: done. 500 and 503: Stripe delivers the event again, for up to three days. */
  readonly status: 200 | 500 | 503;
  /** Shown with the delivery in Stripe's dashboard. */
  readonly body: string;
}

export interface Answers {
  /** Passes the message to `onError`, without an answer. */
  report(message: string, failure?: Failure): void;
  done(body: string): StripeAnswer;
  /** Reported, and never delivered again. */
  refused(message: string, failure?: Failure): StripeAnswer;
  /** Reported, and delivered again. */
  later(status: 500 | 503, message: string, failure?: Failure): StripeAnswer;
}

export function answersTo({ type, id }: StripeEvent, tributary: TributaryClient): Answers {
  const report = (message: string, failure?: Failure) =>
    tributary.report({ source: "stripe", message: `${type} ${id}: ${message}`, ...(failure && { failure }) });
  const reported = (status: StripeAnswer["status"], message: string, failure?: Failure): StripeAnswer => {
    report(message, failure);
    return { status, body: message };
  };
  return {
    report,
    done: (body) => ({ status: 200, body }),
    refused: (message, failure) => reported(200, message, failure),
    later: reported,
  };
}
