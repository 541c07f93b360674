import type { Book } from "#domain/book.ts";
import { commissionStatuses } from "#domain/commission-status.ts";
import { type FeedEvent, feedEvent } from "#domain/event.ts";
import { eventTypes } from "#domain/event-type.ts";
import { ok, type Result, refused } from "#domain/result.ts";
import type { Ctx } from "#http/context.ts";
import * as fields from "#http/schema/form-fields.ts";
import { id, int64 } from "#http/schema/integers.ts";
import * as z from "#http/schema/zod.ts";
import { type FeedQuery, readFeed } from "#store/reports/feed.ts";
import { readFromDatabase } from "./read-database.ts";

const maxLimit = 500;

const ofCommissions = eventTypes.filter((type) => type.startsWith("commission."));
/** Accepted values of the `types` filter: event types, and types of commission events followed by a status. */
export const wantedTypes: readonly string[] = [
  ...eventTypes,
  ...ofCommissions.flatMap((type) => commissionStatuses.map((status) => `${type}:${status}`)),
];

const typesRule = "types must be event types, separated by commas. A type of commissions may end with :<status>";

const feedTypes = () =>
  z
    .string(typesRule)
    .transform((text) => text.split(","))
    .refine((types) => types.every((type) => wantedTypes.includes(type)), typesRule)
    .optional()
    .openapi({ type: "string", example: "commission.updated:approved,payout.confirmed" });

const testModeRule = "test_mode must be true or false";

export const FeedParams = z.object({
  after: fields
    .integerText("after", 0, Number.MAX_SAFE_INTEGER)
    .optional()
    .describe("Number of the last event that you have. Without it, the page starts at the oldest stored event."),
  limit: fields.integerText("limit", 1, maxLimit).default(100),
  types: feedTypes(),
  test_mode: z.enum(["true", "false"], testModeRule).optional().describe("`true` reads test events."),
});

export const Event = z
  .object({
    id: z
      .string()
      .describe("Id of the event, the same in the feed and in every delivery.")
      .openapi({ example: "evt_1_3" }),
    type: z.enum(eventTypes),
    timestamp: z.iso.datetime().describe("Time of the commit."),
    seq: int64().describe("Number in the feed, without gaps except at `feed.restarted`."),
    program_id: id(),
    test_mode: z.boolean(),
    data: z.object({
      object: z.looseObject({}).describe("The event's subject, with ids as in the rest of the API."),
      previous: z.looseObject({}).optional().describe("Changed fields with their previous values."),
    }),
    truncated: z
      .literal(true)
      .optional()
      .describe("True if a sale's `items` are left out because the event would exceed 64 KiB."),
  })
  .openapi("Event");

export const FeedReply = {
  events: z.array(Event).describe("Events in the order of their numbers, earliest first."),
  next_after: int64().describe(
    "Send it as `after` to get the next page. With `types`, it may be beyond the last event.",
  ),
  has_more: z.boolean(),
  newest_seq: int64().describe("Number of the newest event. 0 if there is none yet."),
};

export interface Feed {
  readonly events: FeedEvent[];
  readonly next_after: number;
  readonly has_more: boolean;
  readonly newest_seq: number;
}

export const feedRefusals = ["too_old", "feed_restarted"] as const;

/**
 * Reads a page of a book's feed. Refuses if the database was restored to a state before `after`, or events after it
 * have been deleted.
 */
export async function feedPage(c: Ctx, book: Book, query: FeedQuery): Promise<Result<Feed>> {
  const read = await readFromDatabase(c, "program", (database) => readFeed(database, book, query));
  if (!read.ok) return read;
  const { events, oldestSeq, beforeOldest, newestSeq, nextAfter } = read.value;
  const { after } = query;
  if (after !== undefined && after > newestSeq) return refused({ code: "feed_restarted", newestSeq });
  if (after !== undefined && after < beforeOldest) return refused({ code: "too_old", oldestSeq });
  const page = events.map((event) => feedEvent(book, event));
  return ok({ events: page, next_after: nextAfter, has_more: nextAfter < newestSeq, newest_seq: newestSeq });
}
