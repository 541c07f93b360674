import { home } from "#domain/shard.ts";
import { callLedger } from "#http/call-ledger.ts";
import { createRoute, endpoint, ok, refusals, refuse } from "#http/endpoint.ts";
import * as z from "#http/schema/zod.ts";
import { operator, operatorRefusals, operatorStyle } from "./guards.ts";

export const retrySpilled = endpoint({
  route: createRoute({
    method: "post",
    path: "/api/operator/spill/retry",
    ...operator(),
    responses: {
      ...ok("Clicks queued again", z.object({ data: z.object({ retried: z.int() }) })),
      ...refusals(operatorRefusals, operatorStyle),
    },
  }),
  handler: async (c) => {
    const retried = await callLedger(c, { shard: home }, (ledger) => ledger.retrySpilled());
    return retried.ok ? c.json({ data: retried.answer }, 200) : refuse(c, retried.refusal);
  },
});
