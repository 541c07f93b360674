import { OverviewReply, readOverview } from "#api/own-overview.ts";
import { bothDays, inOrder, maxDays, ofDays, periodFields } from "#api/period.ts";
import { createRoute, endpoint, refusals, refuse, returns } from "#http/endpoint.ts";
import * as fields from "#http/schema/form-fields.ts";
import * as z from "#http/schema/zod.ts";
import { partnerRefusals, partnerSide } from "./guards.ts";
import { PartnerSidePath, viewField } from "./params.ts";

const Query = z
  .object({
    ...periodFields(),
    currency: fields.currency("currency").optional().describe("Defaults to the program's currency."),
    ...viewField(),
  })
  .refine(...bothDays())
  .refine(...inOrder())
  .refine(...ofDays(maxDays));

export const getOverview = endpoint({
  route: createRoute({
    method: "get",
    path: "/programs/{programId}/partners/{partnerId}/overview",
    operationId: "getPartnerOverview",
    tags: ["Partner"],
    summary: "Get your performance and balances",
    description:
      "Days are in the program's time zone and fixed when an event is recorded. Counts include all currencies; amounts are in one currency.",
    ...partnerSide(),
    request: { params: PartnerSidePath, query: Query },
    responses: {
      ...returns("Performance, balances and the next payout", OverviewReply),
      ...refusals([...partnerRefusals, "invalid_input"]),
    },
  }),
  handler: async (c) => {
    const read = await readOverview(c, c.get("partner"), c.req.valid("query"));
    return read.ok ? c.json(read.value, 200) : refuse(c, read.refusal);
  },
});
