import { OwnBreakdownReply, ownBreakdownReply, readBreakdown } from "#api/breakdown.ts";
import { fewDays, filterFields, periodOf } from "#api/breakdown-query.ts";
import { OverviewReply, readOverview } from "#api/own-overview.ts";
import { bothDays, inOrder, maxDays, ofDays, periodFields } from "#api/period.ts";
import { currencyOrUnit } from "#api/units.ts";
import type { Grouping } from "#domain/breakdown.ts";
import { dayIn } from "#domain/calendar.ts";
import { createRoute, endpoint, refusals, refuse, returns } from "#http/endpoint.ts";
import { perEnv } from "#http/per-env.ts";
import * as z from "#http/schema/zod.ts";
import { inTurn, Turns } from "#http/turns.ts";
import { asNamed } from "../member/params.ts";
import { downloading, partnerRefusals, partnerSide } from "./guards.ts";
import { PartnerSidePath, viewField } from "./params.ts";

const Query = z
  .object({
    ...periodFields(),
    currency: currencyOrUnit().optional().describe("Defaults to the program's currency."),
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

const ownGroupings = [
  "code",
  "sub",
  "referrer_host",
  "landing_path",
  "campaign",
  "coupon",
  "country",
  "device",
  "month",
  "day",
] as const satisfies readonly Grouping[];

const { groupBy, ...periodQuery } = periodOf(asNamed, ownGroupings);

const BreakdownQuery = z
  .object({ groupBy: groupBy.default("code"), ...periodQuery, ...filterFields(asNamed), ...viewField() })
  .refine(...bothDays())
  .refine(...inOrder())
  .refine(...ofDays(maxDays))
  .refine(...fewDays(asNamed));

/** Turns to read figures, separate from those of members, so that members never wait for partners. */
const turns = perEnv(() => new Turns());

export const getBreakdown = endpoint({
  route: createRoute({
    method: "get",
    path: "/programs/{programId}/partners/{partnerId}/performance",
    operationId: "getOwnPerformanceByGroup",
    tags: ["Partner"],
    summary: "Get your performance by group",
    description:
      "Your figures by code, sub-id and so on. The groups add up to your totals. Counts include all currencies; amounts are in one currency. The figures are computed from events during the call. An account can run one such call at a time, and a program's partners two together.",
    ...partnerSide(),
    request: { params: PartnerSidePath, query: BreakdownQuery },
    responses: {
      ...returns("Figures by group", OwnBreakdownReply),
      ...refusals([...partnerRefusals, "invalid_input"]),
    },
  }),
  handler: async (c) => {
    const { programId, partnerId, timezone, currency, seesRevenue } = c.get("partner");
    const { as: _, ...query } = c.req.valid("query");
    const asked = { ...query, partner: partnerId, today: dayIn(timezone, c.get("call").at) };
    const read = await inTurn(
      c,
      downloading(c),
      async () => {
        const whole = await readBreakdown(c, { programId, timezone, currency }, undefined, asked);
        return whole.ok ? ownBreakdownReply(c, whole.value, seesRevenue) : whole;
      },
      turns,
    );
    return read.ok ? c.json(read.value, 200) : refuse(c, read.refusal);
  },
});
