import { callLedger } from "#http/call-ledger.ts";
import { createRoute, endpoint, returns, refusals, refuse } from "#http/endpoint.ts";
import * as fields from "#http/schema/form-fields.ts";
import { id, int64 } from "#http/schema/integers.ts";
import * as z from "#http/schema/zod.ts";
import { operator, operatorRefusals, operatorStyle } from "./guards.ts";
import { requireShard, shardQuery } from "./shard.ts";

const Query = z.object({ ...shardQuery, after: fields.integerText("after", 0, Number.MAX_SAFE_INTEGER).optional() });

const SpilledReply = z.object({
  data: z.array(z.object({ id: id(), click: z.record(z.string(), z.unknown()) })),
  meta: z.object({ waiting: int64(), setAside: int64() }),
});

export const listSpilled = endpoint({
  route: createRoute({
    method: "get",
    path: "/api/operator/spill",
    ...operator(),
    request: { query: Query },
    responses: {
      ...returns("Clicks that were set aside, oldest first", SpilledReply),
      ...refusals([...operatorRefusals, "invalid_input"], operatorStyle),
    },
  }),
  handler: async (c) => {
    const { after = 0, shard: wanted } = c.req.valid("query");
    const shard = requireShard(c, wanted);
    if (!shard.ok) return refuse(c, shard.refusal);
    const listed = await callLedger(c, { shard: shard.value }, (ledger) => ledger.listSpilled(after));
    if (!listed.ok) return refuse(c, listed.refusal);
    const { clicks, ...meta } = listed.answer;
    return c.json({ data: [...clicks], meta }, 200);
  },
});
