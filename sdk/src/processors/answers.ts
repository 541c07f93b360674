import type { TributaryClient } from "../client.ts";
import type { Failure, TrackingProblem } from "../results.ts";

/** The response for the payment processor. */
export interface ProcessorAnswer {
  /** 200: the event is done. 500 and 503: the processor delivers the event again. */
  readonly status: 200 | 500 | 503;
  /** The text of the response. Most processors show it with the delivery in their dashboard. */
  readonly body: string;
}

export interface Answers {
  /** Passes a message to `onError`, without creating a response. */
  report(message: string, failure?: Failure): void;
  done(body: string): ProcessorAnswer;
  /** Responds so that the event isn't delivered again, and passes the message to `onError`. */
  refused(message: string, failure?: Failure): ProcessorAnswer;
  /** Responds so that the event is delivered again, and passes the message to `onError`. */
  later(status: 500 | 503, message: string, failure?: Failure): ProcessorAnswer;
}

/** `event` contains the event's type and id, for messages. */
export function answersTo(source: TrackingProblem["source"], event: string, tributary: TributaryClient): Answers {
  const report = (message: string, failure?: Failure) =>
    tributary.report({ source, message: `${event}: ${message}`, ...(failure && { failure }) });
  const reported = (status: ProcessorAnswer["status"], message: string, failure?: Failure): ProcessorAnswer => {
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

/** Joins several messages to one. */
export const joined = (...messages: readonly (string | false | null | undefined)[]): string =>
  messages.filter(Boolean).join("; ");

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
