import { eventTypes } from "#domain/event-type.ts";
import { api, take } from "../../../api/client.ts";
import type { FeedEvent } from "../../../api/types.ts";
import { useProgramQuery } from "../../../api/use-program-query.ts";
import type { Filters } from "../../../url.ts";

/** The number of events that a page searches. With a filter, few of them match, so a page searches more. */
const pageSize = { all: 50, filtered: 500 } as const;
const pollSeconds = 10;
const restarted = "feed.restarted";

interface FeedPage {
  readonly events: readonly FeedEvent[];
  /** The range that was searched. Both are 0 if there is none. */
  readonly fromSeq: number;
  readonly toSeq: number;
  /** Last number of the page with older events. Null if this page has the oldest. */
  readonly older: string | null;
}

export const feedQuery = ({ type, test, cursor }: Filters) => {
  const seq = Number(cursor);
  return {
    type: eventTypes.find((each) => each === type),
    isTest: test === "only",
    lastSeq: cursor !== undefined && Number.isSafeInteger(seq) && seq > 0 ? seq : undefined,
  };
};

/**
 * Reads a page of the feed. The service returns events in ascending order of their numbers, so the newest events are
 * read by a range of numbers.
 */
export function useFeed(filters: Filters) {
  const query = feedQuery(filters);
  return useProgramQuery(
    "feed",
    query,
    async ({ param }, init): Promise<FeedPage> => {
      const { type, isTest, lastSeq } = query;
      const read = async (range: { readonly limit: string; readonly after?: string; readonly types?: string }) => {
        const book = { ...range, test_mode: isTest ? "true" : "false" } as const;
        return (await take(api.programs[":programId"].feed.$get({ param, query: book }, init))).data;
      };
      const { events: oldest, newest_seq } = await read({ limit: "1" });
      const oldestSeq = oldest[0]?.seq;
      if (oldestSeq === undefined) return { events: [], fromSeq: 0, toSeq: 0, older: null };
      const toSeq = Math.max(oldestSeq, Math.min(lastSeq ?? newest_seq, newest_seq));
      const size = type === undefined ? pageSize.all : pageSize.filtered;
      const after = Math.max(oldestSeq - 1, toSeq - size);
      const types = type === undefined ? {} : { types: `${type},${restarted}` };
      const { events } = await read({ limit: String(size), after: String(after), ...types });
      const found = events.filter(({ seq }) => seq <= toSeq).toReversed();
      const before = Math.min(after, ...found.flatMap(leapFrom));
      return {
        events: found.filter((event) => type === undefined || event.type === type),
        fromSeq: after + 1,
        toSeq,
        older: before < oldestSeq ? null : String(before),
      };
    },
    query.lastSeq === undefined ? { pollSeconds } : {},
  );
}

/** If the event reports a restore, returns the number at which the gap left by the restore begins. */
const leapFrom = ({ type, data }: FeedEvent): number[] =>
  type === restarted && typeof data.object.from === "number" ? [data.object.from] : [];
