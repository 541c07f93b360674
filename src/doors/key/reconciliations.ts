import { ReconciliationBody, reconciliationOf, reconciliationRecord } from "#api/reconciliations.ts";
import { callLedger } from "#http/call-ledger.ts";
import { body, created, createRoute, endpoint, refuse, withJsonBody } from "#http/endpoint.ts";
import { withWarnings } from "#http/key-rotation.ts";
import { warnings } from "#http/reply.ts";
import * as z from "#http/schema/zod.ts";
import { changeRefusals } from "./by-key.ts";
import { programKeyRequired } from "./guards.ts";

export const reportReconciliation = endpoint({
  route: createRoute({
    method: "post",
    path: "/me/reconciliations",
    operationId: "reportReconciliation",
    tags: ["Program"],
    summary: "Report a reconciliation",
    description:
      "Stores the counts of your comparison of live sales with a payment processor's payments. Setup and the " +
      "readiness show the last report. It has no other effect.",
    ...withJsonBody(programKeyRequired("manage", "track")),
    request: { body: body(ReconciliationBody) },
    responses: {
      ...created("Counts stored", z.object({ data: reconciliationRecord.schema, ...warnings })),
      ...changeRefusals(),
    },
  }),
  handler: async (c) => {
    const key = c.get("key");
    const reported = reconciliationOf(c.req.valid("json"));
    const call = { ...c.get("call"), kind: "report-reconciliation", key, reported } as const;
    const outcome = await callLedger(c, key, (ledger) => ledger.run(call));
    if (!outcome.ok) return refuse(c, outcome.refusal);
    return c.json(withWarnings(c, { data: reconciliationRecord.reply(outcome.answer) }), 201);
  },
});
