import { explainRequest, SnakeQuery } from "#api/explain/query.ts";
import { Explanation } from "#api/explain/reply.ts";
import { checkKey } from "#http/check-key.ts";
import { createRoute, endpoint, refuse, returns } from "#http/endpoint.ts";
import { countByKey, countExplained } from "#http/rate-limits.ts";
import { reply, warnings } from "#http/reply.ts";
import { snakeKeys } from "#http/schema/camel-keys.ts";
import { readRefusals } from "./by-key.ts";
import { programKeyRequired } from "./guards.ts";

const ExplainReply = Explanation.extend(warnings).openapi("Explanation");

export const explain = endpoint({
  route: createRoute({
    method: "get",
    path: "/me/explain",
    operationId: "explain",
    tags: ["Program"],
    summary: "Explain an event or a commission",
    description:
      "Returns which partner earned what and why, or which conditions were missing, as it was decided: later " +
      "settings don't matter. Send exactly one of `click_id`, `lead_id`, `sale_id`, `commission_id`, " +
      "`transaction_id` and `customer_key`.",
    ...programKeyRequired("explain", "read"),
    request: { query: SnakeQuery },
    responses: {
      ...returns("Explanation", ExplainReply),
      ...readRefusals("invalid_input", "nothing_to_explain"),
    },
  }),
  handler: async (c) => {
    const key = c.get("key");
    const request = explainRequest(c.req.valid("query"), key.programId);
    const checked = await checkKey(c, key, request.isTest);
    if (!checked.ok) return refuse(c, checked.refusal);
    const { readExplanation, toIntegrator } = await import("#api/explain/explanation.ts");
    const by = { programId: key.programId, actorId: key.hash };
    const explained = await readExplanation(c, by, request, toIntegrator(checked.value.book));
    if (!explained.ok) return refuse(c, explained.refusal);
    await countExplained(explained.value.verdict.sums, () => countByKey(c, "explain", key));
    return reply(c, snakeKeys<Explanation>(explained.value));
  },
});
