import { createRoute, endpoint, ok, refusals, refuse, refuseInvalid } from "../../../http/endpoint.ts";
import { camelCase, camelSchema } from "../../../http/schema/camel-keys.ts";
import * as fields from "../../../http/schema/fields.ts";
import * as z from "../../../http/schema/zod.ts";
import { type ExplainKey, type ExplainRequest, findSubjects } from "../../../store/reports/explain.ts";
import { readExplanation } from "../../explain/explanation.ts";
import { lookupsOf } from "../../explain/lookups.ts";
import { Explanation } from "../../public/program/explain-reply.ts";
import { readFromDatabase } from "../../read-database.ts";
import { memberRefusals, programMember } from "../guards.ts";
import { ProgramPath } from "../params.ts";

const Query = z.object({
  q: fields
    .callerId("q")
    .describe("A transaction id, customer key, click id or number, or a refund as `order-17 / refund-3`."),
});

const names = {
  click: "clickId",
  lead: "leadId",
  sale: "saleId",
  commission: "commissionId",
  transaction: "transactionId",
  customer: "customerKey",
} as const satisfies Record<ExplainKey, string>;

const id = z.string().optional();
const Hit = z
  .object({
    query: z
      .object({
        ...{ clickId: id, leadId: id, saleId: id, commissionId: id, transactionId: id, refundId: id, customerKey: id },
        testMode: z.literal("true").optional(),
      })
      .describe("Asks `/api/tracking/explain` for the same explanation."),
    explanation: camelSchema(Explanation).openapi("Explanation"),
  })
  .openapi("SearchHit");

export const search = endpoint({
  route: createRoute({
    method: "get",
    path: "/search/{programId}",
    operationId: "searchEvents",
    tags: ["Dashboard"],
    summary: "Find events, commissions and customers by any id",
    description:
      "Explains everything that has the id, however it can be read. Searches test data if live data doesn't have it. " +
      "Ids must match exactly.",
    ...programMember("viewer"),
    request: { params: ProgramPath, query: Query },
    responses: {
      ...ok("What has the id", z.object({ data: z.array(Hit) })),
      ...refusals([...memberRefusals, "invalid_input"]),
    },
  }),
  hook: refuseInvalid(Query),
  handler: async (c) => {
    const programId = c.get("program").id;
    const lookups = lookupsOf(c.req.valid("query").q.trim());
    const found = await readFromDatabase(c, (database) => findSubjects(database, programId, lookups));
    if (!found.ok) return refuse(c, found.refusal);
    const isTest = !found.value.some(({ here }) => here);
    const data: z.output<typeof Hit>[] = [];
    for (const [i, each] of lookups.entries()) {
      if (!(isTest ? found.value[i]?.elsewhere : found.value[i]?.here)) continue;
      const request = { ...each, programId, isTest, after: undefined };
      const explained = await readExplanation(c, request, camelCase);
      if (explained.ok) data.push({ query: queryOf(request), explanation: explained.value });
      else if (explained.refusal.code !== "nothing_to_explain") return refuse(c, explained.refusal);
    }
    return c.json({ data }, 200);
  },
});

const queryOf = ({ by, key, refundId, isTest }: ExplainRequest): z.output<typeof Hit>["query"] => ({
  [names[by]]: String(key),
  ...(refundId !== undefined && { refundId }),
  ...(isTest && { testMode: "true" }),
});
