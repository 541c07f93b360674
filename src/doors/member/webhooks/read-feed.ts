import { FeedParams, FeedReply, feedPage, feedRefusals } from "#api/feed.ts";
import { createRoute, endpoint, returns, refusals, refuse } from "#http/endpoint.ts";
import * as z from "#http/schema/zod.ts";
import { memberRefusals, programMember } from "../guards.ts";
import { ProgramPath } from "../params.ts";

export const readFeed = endpoint({
  route: createRoute({
    method: "get",
    path: "/programs/{programId}/feed",
    operationId: "readFeed",
    tags: ["Management"],
    summary: "Read the feed of events",
    description: "The same as `/api/v1/programs/me/events`, inside `data`.",
    ...programMember("viewer"),
    request: { params: ProgramPath, query: FeedParams },
    responses: {
      ...returns("A page of events", z.object({ data: z.object(FeedReply) })),
      ...refusals([...memberRefusals, "invalid_input", ...feedRefusals]),
    },
  }),
  handler: async (c) => {
    const { test_mode, ...query } = c.req.valid("query");
    const page = await feedPage(c, { programId: c.get("program").id, isTest: test_mode === "true" }, query);
    return page.ok ? c.json({ data: page.value }, 200) : refuse(c, page.refusal);
  },
});
