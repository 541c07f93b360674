import {
  Dropped,
  readRequests,
  requestCursors,
  requestFields,
  requestPageSize,
  requestRecord,
  timesInOrder,
} from "#api/requests.ts";
import { createRoute, endpoint, refuse, returns } from "#http/endpoint.ts";
import { reply } from "#http/reply.ts";
import * as z from "#http/schema/zod.ts";
import { readBy, readRefusals } from "./by-key.ts";
import { programKeyRequired } from "./guards.ts";
import { listOf, listReply } from "./list.ts";

const Query = z
  .object({
    request_id: requestFields.id("request_id"),
    transaction_id: requestFields.id("transaction_id"),
    customer_key: requestFields.id("customer_key"),
    outcome: requestFields.outcome(),
    route: requestFields.route(),
    from: requestFields.from(),
    to: requestFields.to(),
    cursor: requestCursors.parameter("next_cursor"),
  })
  .refine(...timesInOrder());

const list = listOf("Request", requestRecord.schema);

export const listRequests = endpoint({
  route: createRoute({
    method: "get",
    path: "/me/requests",
    operationId: "listRequests",
    tags: ["Program"],
    summary: "List tracking calls",
    description:
      "Calls with an API key and their responses, and up to 10 refused calls a minute without a key, in live " +
      "and test mode. Covers the newest 20,000 of the last seven days; some may be missing. A call is listed a " +
      "few seconds after its response.",
    ...programKeyRequired("keyedList", "read"),
    request: { query: Query },
    responses: {
      ...returns(
        `Calls, newest first, ${requestPageSize} per page`,
        list.extend({ meta: list.shape.meta.extend({ dropped: Dropped }) }),
      ),
      ...readRefusals("invalid_input"),
    },
  }),
  handler: async (c) => {
    const {
      cursor,
      request_id: requestId,
      transaction_id: transactionId,
      customer_key: customerKey,
      ...others
    } = c.req.valid("query");
    const filter = { ...others, requestId, transactionId, customerKey };
    const read = await readBy(c, ({ programId }) => readRequests(c, programId, filter, cursor));
    if (!read.ok) return refuse(c, read.refusal);
    const { rows, meta } = read.value;
    const page = listReply(rows, meta);
    return reply(c, { ...page, meta: { ...page.meta, dropped: meta.dropped } });
  },
});
