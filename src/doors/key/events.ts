import { FeedParams, FeedReply, feedPage, feedRefusals } from "#api/feed.ts";
import { createRoute, endpoint, refuse, returns } from "#http/endpoint.ts";
import { reply, warnings } from "#http/reply.ts";
import * as z from "#http/schema/zod.ts";
import { readBy, readRefusals } from "./by-key.ts";
import { programKeyRequired } from "./guards.ts";

export const listEvents = endpoint({
  route: createRoute({
    method: "get",
    path: "/me/events",
    operationId: "listEvents",
    tags: ["Program"],
    summary: "Read the feed of events",
    description:
      "Changes of the last 30 days, in the order in which they were committed. To start, read `newest_seq`, " +
      "then your lists, then the events after it. `feed_restarted` means that the service was restored from a " +
      "backup: read your lists again, and continue after the newest event.",
    ...programKeyRequired("feed", "read"),
    request: { query: FeedParams },
    responses: {
      ...returns("A page of events", z.object({ ...FeedReply, ...warnings }).openapi("Feed")),
      ...readRefusals("invalid_input", ...feedRefusals),
    },
  }),
  handler: async (c) => {
    const { test_mode, ...query } = c.req.valid("query");
    const isTest = test_mode === "true";
    const page = await readBy(c, ({ programId }) => feedPage(c, { programId, isTest }, query), isTest);
    return page.ok ? reply(c, page.value) : refuse(c, page.refusal);
  },
});
