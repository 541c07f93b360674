import { FeedParams, FeedReply, feedPage, feedRefusals } from "#api/feed.ts";
import { commonRefusals, createRoute, endpoint, keyRefusals, refusals, refuse, returns } from "#http/endpoint.ts";
import { reply, warnings } from "#http/reply.ts";
import * as z from "#http/schema/zod.ts";
import { checkedKey } from "./by-key.ts";
import { programKeyRequired } from "./guards.ts";

export const listEvents = endpoint({
  route: createRoute({
    method: "get",
    path: "/me/events",
    operationId: "listEvents",
    tags: ["Program"],
    summary: "Read the feed of events",
    description:
      "What happened, in the order in which it was committed, for 30 days. To start, read `newest_seq`, then your lists, then " +
      "the events after it. `feed_restarted` says that the service was restored from a backup: read your lists again, and " +
      "go on after the newest event.",
    ...programKeyRequired("feed", "read"),
    request: { query: FeedParams },
    responses: {
      ...returns("A page of events", z.object({ ...FeedReply, ...warnings }).openapi("Feed")),
      ...refusals(["missing_key", ...keyRefusals, "invalid_input", ...feedRefusals, ...commonRefusals]),
    },
  }),
  handler: async (c) => {
    const { test_mode, ...query } = c.req.valid("query");
    const isTest = test_mode === "true";
    const checked = await checkedKey(c, c.get("key"), isTest);
    if (!checked.ok) return refuse(c, checked.refusal);
    const page = await feedPage(c, { programId: checked.value.programId, isTest }, query);
    return page.ok ? reply(c, page.value) : refuse(c, page.refusal);
  },
});
