import { readExplanation, toOwner } from "#api/explain/explanation.ts";
import { CamelQuery, explainRequest } from "#api/explain/query.ts";
import { createRoute, endpoint, returns, refusals, refuse } from "#http/endpoint.ts";
import { countExplained, countUser } from "#http/rate-limits.ts";
import { camelSchema } from "#http/schema/camel-keys.ts";
import { Explanation } from "../../key/explain-reply.ts";
import { actingMember } from "../actor.ts";
import { memberRefusals, programMember } from "../guards.ts";
import { ProgramPath } from "../params.ts";

export const explain = endpoint({
  route: createRoute({
    method: "get",
    path: "/explain/{programId}",
    operationId: "explainEvent",
    tags: ["Dashboard"],
    summary: "Explain an event or a commission",
    description:
      "Returns the same object as `/api/v1/programs/me/explain`, with names in camelCase and remedies in the words of the dashboard.",
    ...programMember("viewer"),
    request: { params: ProgramPath, query: CamelQuery },
    responses: {
      ...returns("Explanation", camelSchema(Explanation).openapi("Explanation")),
      ...refusals([...memberRefusals, "invalid_input", "nothing_to_explain"]),
    },
  }),
  handler: async (c) => {
    const { clickId, leadId, saleId, commissionId, transactionId, refundId, customerKey, testMode, cursor } =
      c.req.valid("query");
    const query = {
      ...{ click_id: clickId, lead_id: leadId, sale_id: saleId, commission_id: commissionId, cursor },
      ...{ transaction_id: transactionId, refund_id: refundId, customer_key: customerKey, test_mode: testMode },
    };
    const request = explainRequest(query, c.get("program").id);
    const explained = await readExplanation(c, actingMember(c), request, toOwner);
    if (!explained.ok) return refuse(c, explained.refusal);
    await countExplained(explained.value.verdict.sums, () => countUser(c, c.get("userId")));
    return c.json(explained.value, 200);
  },
});
