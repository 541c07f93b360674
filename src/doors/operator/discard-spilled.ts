import { callLedger } from "#http/call-ledger.ts";
import { body, bodyRefusals, createRoute, endpoint, returns, refusals, refuse } from "#http/endpoint.ts";
import * as fields from "#http/schema/form-fields.ts";
import { int64 } from "#http/schema/integers.ts";
import * as z from "#http/schema/zod.ts";
import { operatorRefusals, operatorStyle, operatorWithBody } from "./guards.ts";
import { requireShard, shardQuery } from "./shard.ts";

const message = "ids must be a list of 1 to 100 ids";
const Discard = z.object({
  ids: z
    .array(fields.integer("ids", 1, Number.MAX_SAFE_INTEGER), message)
    .min(1, message)
    .max(100, message),
});

export const discardSpilled = endpoint({
  route: createRoute({
    method: "post",
    path: "/api/operator/spill/discard",
    ...operatorWithBody(),
    request: { query: z.object(shardQuery), body: body(Discard) },
    responses: {
      ...returns("Clicks discarded", z.object({ data: z.object({ discarded: int64() }) })),
      ...refusals([...operatorRefusals, ...bodyRefusals], operatorStyle),
    },
  }),
  handler: async (c) => {
    const { ids } = c.req.valid("json");
    const shard = requireShard(c, c.req.valid("query").shard);
    if (!shard.ok) return refuse(c, shard.refusal);
    const discarded = await callLedger(c, { shard: shard.value }, (ledger) => ledger.discardSpilled(ids));
    return discarded.ok ? c.json({ data: discarded.answer }, 200) : refuse(c, discarded.refusal);
  },
});
