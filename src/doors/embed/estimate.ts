import { EstimateReply, estimateOfUser, NewEstimate } from "#api/estimate.ts";
import { body, createRoute, endpoint, refusals, refuse, returns, withJsonBody } from "#http/endpoint.ts";
import { EmbedHeaders, embedded, embedWriteRefusals } from "./guards.ts";

export const estimateEmbedded = endpoint({
  route: createRoute({
    method: "post",
    path: "/estimate",
    operationId: "estimateEmbedded",
    tags: ["Embed"],
    summary: "Estimate what you would earn",
    description:
      "Computes the commission for payments that a new customer makes from now on, if the customer is attributed to the user " +
      "and uses no coupon. Without a link, computes it as for a new partner. Stores nothing.",
    ...withJsonBody(embedded()),
    request: { headers: EmbedHeaders, body: body(NewEstimate) },
    responses: { ...returns("The commission for each payment", EstimateReply), ...refusals(embedWriteRefusals) },
  }),
  handler: async (c) => {
    const estimated = await estimateOfUser(c, c.get("embedded"), c.req.valid("json"));
    return estimated.ok ? c.json(estimated.value, 200) : refuse(c, estimated.refusal);
  },
});
