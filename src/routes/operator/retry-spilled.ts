import { createRoute } from "@hono/zod-openapi";
import { callLedger } from "../../http/call-ledger.ts";
import { ok } from "../../http/content.ts";
import { endpoint } from "../../http/endpoint.ts";
import { refuse } from "../../http/refusal/refuse.ts";
import { refusals } from "../../http/refusal/responses.ts";
import * as z from "../../http/schema/zod.ts";
import { ofOperator, operator, operatorStyle } from "./guards.ts";

export const retrySpilled = endpoint({
  route: createRoute({
    method: "post",
    path: "/api/operator/spill/retry",
    ...operator(),
    responses: {
      ...ok("Clicks queued again", z.object({ data: z.object({ retried: z.int() }) })),
      ...refusals(operatorStyle, ofOperator),
    },
  }),
  handler: async (c) => {
    const retried = await callLedger(c, { storage: "own" }, (ledger) => ledger.retrySpilled());
    return retried.ok ? c.json({ data: retried.answer }, 200) : refuse(c, retried.refusal);
  },
});
