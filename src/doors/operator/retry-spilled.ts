import { callLedger } from "#http/call-ledger.ts";
import { createRoute, endpoint, returns, refusals, refuse } from "#http/endpoint.ts";
import { int64 } from "#http/schema/integers.ts";
import * as z from "#http/schema/zod.ts";
import { operator, operatorRefusals, operatorStyle } from "./guards.ts";
import { requireShard, shardQuery } from "./shard.ts";

export const retrySpilled = endpoint({
  route: createRoute({
    method: "post",
    path: "/api/operator/spill/retry",
    ...operator(),
    request: { query: z.object(shardQuery) },
    responses: {
      ...returns("Clicks queued again", z.object({ data: z.object({ retried: int64() }) })),
      ...refusals([...operatorRefusals, "invalid_input"], operatorStyle),
    },
  }),
  handler: async (c) => {
    const shard = requireShard(c, c.req.valid("query").shard);
    if (!shard.ok) return refuse(c, shard.refusal);
    const retried = await callLedger(c, { shard: shard.value }, (ledger) => ledger.retrySpilled());
    return retried.ok ? c.json({ data: retried.answer }, 200) : refuse(c, retried.refusal);
  },
});
