import type { WebhookEvent, WebhookEventType } from "../events.ts";
import type { CallOptions, Optional } from "../inputs.ts";
import type { Commission, Failure, Success } from "../results.ts";

/**
 * An event type. With a commission's status after it, such as `commission.updated:approved`, only events after which
 * the commission has this status.
 */
export type EventFilterType = WebhookEventType | `commission.${"created" | "updated"}:${Commission["status"]}`;

export interface EventFilter {
  /** The number (`seq`) of the last event that you have. Default: from the oldest event that is kept. */
  readonly after?: Optional<number>;
  /** 1 to 500. Default: 100. */
  readonly limit?: Optional<number>;
  /** Default: all types. */
  readonly types?: Optional<readonly EventFilterType[]>;
  /** True reads the test book. */
  readonly testMode?: Optional<boolean>;
}

/** The events, the lowest number first. */
export interface EventPage extends Success<readonly WebhookEvent[]> {
  /**
   * Store this number, and send it as `after` the next time. With `types`, it may be beyond the last event of the page.
   */
  readonly nextAfter: number;
  readonly hasMore: boolean;
  /** The number of the newest event. 0: there is no event yet. */
  readonly newestSeq: number;
}

export type EventPageResult = EventPage | Failure;

/** The feed of events. A key has 60 calls a minute. */
export interface Events {
  /**
   * If `error.details.code` is `feed_restarted` (409), the service was restored from a backup: read your lists again,
   * then continue after `error.details.newestSeq`. If it is `too_old` (400), events that you don't have are no longer
   * kept: read `newestSeq` without `after`, then read your lists again, then continue after that number.
   */
  list(filter?: EventFilter, options?: CallOptions): Promise<EventPageResult>;
  /** Reads each page when it is asked for, up to the newest event. A failure is the last result. */
  pages(filter?: EventFilter, options?: CallOptions): AsyncIterable<EventPageResult>;
}

/** Throws a `TypeError` for an argument that is unknown or of the wrong type. */
export function feedQuery(filter: EventFilter): Record<string, string> {
  const query: Record<string, string> = {};
  for (const [name, value] of Object.entries(filter)) {
    const [isRight, must] = rules[name] ?? [];
    if (!isRight) throw new TypeError(`events.${name} is unknown`);
    if (value == null) continue;
    if (!isRight(value)) throw new TypeError(`events.${name} must be ${must}`);
    query[name === "testMode" ? "test_mode" : name] = String(value);
  }
  return query;
}

type Rule = readonly [isRight: (value: unknown) => boolean, must: string];

const wholeNumber: Rule = [(value) => Number.isSafeInteger(value) && Number(value) >= 0, "a whole number"];

const rules: Readonly<Record<string, Rule>> = {
  after: wholeNumber,
  limit: wholeNumber,
  types: [Array.isArray, "an array"],
  testMode: [(value) => typeof value === "boolean", "true or false"],
};
