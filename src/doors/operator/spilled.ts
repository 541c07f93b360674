import type { Shard } from "#domain/ids.ts";
import { ok, type Result, refused } from "#domain/result.ts";
import { home, maxShard } from "#domain/shard.ts";
import { allShards } from "#env.ts";
import { callLedger } from "#http/call-ledger.ts";
import type { Ctx } from "#http/context.ts";
import { body, bodyRefusals, createRoute, endpoint, refusals, refuse, returns } from "#http/endpoint.ts";
import * as fields from "#http/schema/form-fields.ts";
import { id, int64 } from "#http/schema/integers.ts";
import * as z from "#http/schema/zod.ts";
import { operator, operatorRefusals, operatorStyle, operatorWithBody } from "./guards.ts";

/** Defaults to the home shard. */
const shardQuery = { shard: fields.integerText("shard", 0, maxShard).optional() };

export function requireShard(c: Ctx, shard: Shard = home): Result<Shard> {
  const numbers = allShards(c.env);
  if (numbers.includes(shard)) return ok(shard);
  const message = `shard must be one of the service: ${numbers.join(", ")}`;
  return refused({ code: "invalid_input", errors: [{ path: ["shard"], message }] });
}

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
