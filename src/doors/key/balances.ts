import { balanceCursors, balanceRecord, balanceReply } from "#api/balances.ts";
import { readFromDatabase } from "#api/read-database.ts";
import { currencyOrUnit, unitsOf } from "#api/units.ts";
import { createRoute, endpoint, refuse, returns } from "#http/endpoint.ts";
import { reply } from "#http/reply.ts";
import * as z from "#http/schema/zod.ts";
import { listBalances as list } from "#store/views/balances.ts";
import { readBy, readRefusals } from "./by-key.ts";
import { programKeyRequired } from "./guards.ts";
import { listOf, listReply, pageSize } from "./list.ts";

const sort = "currency";

const Query = z.object({
  currency: currencyOrUnit().optional(),
  cursor: balanceCursors.parameter("next_cursor"),
});

export const listBalances = endpoint({
  route: createRoute({
    method: "get",
    path: "/me/balances",
    operationId: "listBalances",
    tags: ["Program"],
    summary: "List partner balances",
    description: "One balance for each partner and currency. Amounts are never converted.",
    ...programKeyRequired("keyedList", "read"),
    request: { query: Query },
    responses: {
      ...returns(`Balances, by currency and partner, ${pageSize} per page`, listOf("Balance", balanceRecord.schema)),
      ...readRefusals("invalid_input"),
    },
  }),
  handler: async (c) => {
    const { currency, cursor } = c.req.valid("query");
    const asked = { currency, sort, isNonzero: false, after: cursor, limit: pageSize + 1 } as const;
    const read = await readBy(c, async ({ programId }) => {
      const known = await unitsOf(c, programId, currency);
      if (!known.ok) return known;
      return readFromDatabase(c, "program", (database) => list(database, { programId, ...asked }));
    });
    if (!read.ok) return refuse(c, read.refusal);
    const { page, meta } = balanceCursors.pageOf(read.value, pageSize, ({ currency, partnerId }) => ({
      sort,
      nonzero: false,
      currency,
      partnerId,
      cents: "0",
    }));
    return reply(c, listReply(page.map(balanceReply), meta));
  },
});
