import { createRoute, endpoint, returns, refusals, refuse } from "#http/endpoint.ts";
import { reply, warnings } from "#http/reply.ts";
import { inSnakeCase, snakeSchema } from "#http/schema/camel-keys.ts";
import * as fields from "#http/schema/form-fields.ts";
import * as z from "#http/schema/zod.ts";
import { bothDays, maxDays, periodFields } from "../../member/reports/period.ts";
import { day, inOrder, ofDays } from "../../member/reports/query.ts";
import { OverviewReply } from "../../partner/overview/overview-reply.ts";
import { readOverview } from "../../partner/overview/read-overview.ts";
import { programKeyRequired } from "../guards.ts";
import { keyedPartner, ReportPath, reportRefusals } from "./keyed-partner.ts";

const range = ["date_from", "date_to"] as const;

const Query = z
  .object({
    period: periodFields().period,
    date_from: day("date_from")
      .optional()
      .describe("First day of the range, together with `date_to`. Takes precedence over `period`."),
    date_to: day("date_to").optional().describe("Last day of the range, inclusive."),
    currency: fields.currency("currency").optional().describe("Defaults to the program's currency."),
  })
  .refine(...bothDays(...range))
  .refine(...inOrder(...range))
  .refine(...ofDays(maxDays, ...range));

const { data, meta } = OverviewReply.shape;
const Reply = z.object({ data: snakeSchema(data).openapi("PartnerOverview"), meta: snakeSchema(meta), ...warnings });

export const getPartnerOverview = endpoint({
  route: createRoute({
    method: "get",
    path: "/me/partners/{partnerId}/overview",
    operationId: "getPartnerOverview",
    tags: ["Program"],
    summary: "Get a partner's performance and balances",
    description:
      "As the partner sees them, for a page of your own. Days are in the program's time zone and fixed when an event is " +
      "recorded. Counts are over all currencies, amounts of one.",
    ...programKeyRequired("keyedList", "read"),
    request: { params: ReportPath, query: Query },
    responses: { ...returns("Performance, balances and the next payout", Reply), ...refusals(reportRefusals) },
  }),
  handler: async (c) => {
    const partner = await keyedPartner(c, c.get("key"), c.req.valid("param").partnerId);
    if (!partner.ok) return refuse(c, partner.refusal);
    const { date_from: dateFrom, date_to: dateTo, ...others } = c.req.valid("query");
    const read = await readOverview(c, partner.value, { ...others, dateFrom, dateTo });
    return read.ok ? reply(c, inSnakeCase(read.value)) : refuse(c, read.refusal);
  },
});
