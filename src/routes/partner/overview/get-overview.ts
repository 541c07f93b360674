import { dayIn } from "#domain/calendar.ts";
import { createRoute, endpoint, ok, refusals, refuse } from "#http/endpoint.ts";
import * as fields from "#http/schema/form-fields.ts";
import * as z from "#http/schema/zod.ts";
import { readPartnerOverview } from "#store/reports/partner-overview.ts";
import { readFromDatabase } from "../../read-database.ts";
import { bothDays, daysShown, maxDays, periodFields, rangeOf } from "../../session/reports/period.ts";
import { inOrder, ofDays } from "../../session/reports/query.ts";
import { partnerRefusals, partnerSide } from "../guards.ts";
import { PartnerSidePath, viewField } from "../params.ts";
import { OverviewReply, overviewReply } from "./overview-reply.ts";

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
      "Days are in the program's time zone and fixed when an event is recorded. Counts are over all currencies, amounts of one.",
    ...partnerSide(),
    request: { params: PartnerSidePath, query: Query },
    responses: {
      ...ok("Performance, balances and the next payout", OverviewReply),
      ...refusals([...partnerRefusals, "invalid_input"]),
    },
  }),
  handler: async (c) => {
    const query = c.req.valid("query");
    const partner = c.get("partner");
    const { currency = partner.currency } = query;
    const { at } = c.get("call");
    const today = dayIn(partner.timezone, at);
    const { period, days } = rangeOf(query, today);
    const { programId, partnerId } = partner;
    const read = await readFromDatabase(c, "program", (database) =>
      readPartnerOverview(database, { programId, partnerId, currency, days, at }),
    );
    if (!read.ok) return refuse(c, read.refusal);
    const shown = daysShown(days, read.value.days, today);
    return c.json(overviewReply(partner, { period, days: shown, currency, today }, read.value), 200);
  },
});
