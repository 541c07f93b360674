import { createRoute } from "@hono/zod-openapi";
import { callLedger } from "../../http/call-ledger.ts";
import { ok } from "../../http/described.ts";
import { endpoint } from "../../http/endpoint.ts";
import { refusals } from "../../http/refusals.ts";
import { refuse } from "../../http/refuse.ts";
import * as z from "../../http/zod.ts";
import { ofOperator, operator, operatorStyle } from "../operator-access.ts";

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
