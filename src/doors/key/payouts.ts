import { payoutRecord, withSums } from "#api/payouts.ts";
import { readPage } from "#api/read-page.ts";
import { createRoute, endpoint, refuse, returns } from "#http/endpoint.ts";
import { reply } from "#http/reply.ts";
import { idCursor, newest } from "#http/schema/cursor.ts";
import * as z from "#http/schema/zod.ts";
import { listPayouts as list } from "#store/views/payouts.ts";
import { readBy, readRefusals } from "./by-key.ts";
import { programKeyRequired } from "./guards.ts";
import { listOf, listReply, pageSize } from "./list.ts";

const cursors = idCursor("payouts");

const listedPayout = payoutRecord.omit("partnerIds", "note", "createdBy", "finalizedBy", "confirmedBy", "canceledBy");

export const listPayouts = endpoint({
  route: createRoute({
    method: "get",
    path: "/me/payouts",
    operationId: "listPayouts",
    tags: ["Program"],
    summary: "List payouts",
    description: "Includes drafts and canceled payouts.",
    ...programKeyRequired("keyedList", "read"),
    request: { query: z.object({ cursor: cursors.parameter("next_cursor") }) },
    responses: {
      ...returns(`Payouts, newest first, ${pageSize} per page`, listOf("Payout", listedPayout.schema)),
      ...readRefusals("invalid_input"),
    },
  }),
  handler: async (c) => {
    const { id: before } = c.req.valid("query").cursor ?? newest;
    const read = await readBy(c, ({ programId }) =>
      readPage(c, "program", { ...cursors, size: pageSize }, (database, limit) =>
        list(database, programId, before, limit),
      ),
    );
    if (!read.ok) return refuse(c, read.refusal);
    const { page, meta } = read.value;
    return reply(
      c,
      listReply(
        page.map((payout) => listedPayout.reply(withSums(payout))),
        meta,
      ),
    );
  },
});
