import { createRoute, endpoint, ok, refusals, refuse, refuseInvalid } from "../../../http/endpoint.ts";
import { idCursor, newest, PageMeta } from "../../../http/schema/cursor.ts";
import * as z from "../../../http/schema/zod.ts";
import { listPayouts as list } from "../../../store/views/payouts.ts";
import { memberRefusals, programMember } from "../guards.ts";
import { ProgramPath } from "../params.ts";
import { readPage } from "../read-page.ts";
import { PayoutReply, payoutReply } from "./payout-reply.ts";

const pageSize = 50;

const Query = z.object({ cursor: idCursor() });

export const listPayouts = endpoint({
  route: createRoute({
    method: "get",
    path: "/programs/{programId}/payouts",
    operationId: "listPayouts",
    tags: ["Payouts"],
    summary: "List a program's payouts",
    ...programMember("viewer"),
    request: { params: ProgramPath, query: Query },
    responses: {
      ...ok(`Payouts, newest first, ${pageSize} per page`, z.object({ data: z.array(PayoutReply), meta: PageMeta })),
      ...refusals([...memberRefusals, "invalid_input"]),
    },
  }),
  hook: refuseInvalid(Query),
  handler: async (c) => {
    const { cursor = newest } = c.req.valid("query");
    const found = await readPage(c, pageSize, (database, limit) => list(database, c.get("program").id, cursor, limit));
    if (!found.ok) return refuse(c, found.refusal);
    const { page, meta } = found.value;
    return c.json({ data: page.map(payoutReply), meta }, 200);
  },
});
