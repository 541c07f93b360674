import { EmbedOverview, readOverviewOf } from "#api/embed-overview.ts";
import { currencyOrUnit } from "#api/units.ts";
import { createRoute, endpoint, refusals, refuse, returns } from "#http/endpoint.ts";
import * as z from "#http/schema/zod.ts";
import { EmbedHeaders, embedded, embedRefusals } from "./guards.ts";

const Query = z.object({
  currency: currencyOrUnit().optional().describe("Defaults to the program's currency."),
});

export const getOverview = endpoint({
  route: createRoute({
    method: "get",
    path: "/overview",
    operationId: "getEmbedOverview",
    tags: ["Embed"],
    summary: "Get the offer, the terms and your figures",
    description:
      "Returns figures of the last 7 days, or of fewer if they have sales in very many currencies, and balances. Counts " +
      "include all currencies; amounts are in one currency. `nextHoldEnd` considers the 10 oldest commissions on hold. " +
      "All figures are empty until the user creates a link.",
    ...embedded(),
    request: { headers: EmbedHeaders, query: Query },
    responses: {
      ...returns("Offer, terms, figures, balances and the next payout", EmbedOverview),
      ...refusals([...embedRefusals, "invalid_input"]),
    },
  }),
  handler: async (c) => {
    const read = await readOverviewOf(c, c.get("embedded"), c.req.valid("query").currency);
    return read.ok ? c.json(read.value, 200) : refuse(c, read.refusal);
  },
});
