import {
  Dropped,
  readRequests,
  requestCursors,
  requestFields,
  requestPageSize,
  requestRecord,
  timesInOrder,
} from "#api/requests.ts";
import { createRoute, endpoint, refusals, refuse, returns } from "#http/endpoint.ts";
import { PageMeta } from "#http/schema/cursor.ts";
import * as z from "#http/schema/zod.ts";
import { memberRefusals, programMember } from "./guards.ts";
import { ProgramPath } from "./params.ts";

const Query = z
  .object({
    requestId: requestFields.id("requestId"),
    transactionId: requestFields.id("transactionId"),
    customerKey: requestFields.id("customerKey"),
    outcome: requestFields.outcome(),
    route: requestFields.route(),
    from: requestFields.from(),
    to: requestFields.to(),
    cursor: requestCursors.parameter(),
  })
  .refine(...timesInOrder());

export const listRequests = endpoint({
  route: createRoute({
    method: "get",
    path: "/programs/{programId}/requests",
    operationId: "listRequests",
    tags: ["Dashboard"],
    summary: "List tracking calls",
    description:
      "Calls with an API key and their responses, and up to 10 refused calls a minute without a key. Covers the " +
      "newest 20,000 of the last seven days; some may be missing. A call is listed a few seconds after its " +
      "response.",
    ...programMember("viewer"),
    request: { params: ProgramPath, query: Query },
    responses: {
      ...returns(
        `Calls, newest first, ${requestPageSize} per page`,
        z.object({ data: z.array(requestRecord.schema), meta: PageMeta.extend({ dropped: Dropped }) }),
      ),
      ...refusals([...memberRefusals, "invalid_input"]),
    },
  }),
  handler: async (c) => {
    const { cursor, ...filter } = c.req.valid("query");
    const read = await readRequests(c, c.get("program").id, filter, cursor);
    if (!read.ok) return refuse(c, read.refusal);
    const { rows, meta } = read.value;
    return c.json({ data: rows, meta }, 200);
  },
});
