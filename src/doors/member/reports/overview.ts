import { readFromDatabase } from "#api/read-database.ts";
import { dayIn } from "#domain/calendar.ts";
import { haveClicksStopped } from "#domain/click-pace.ts";
import { clamped } from "#domain/money.ts";
import { readiness, readinessStates } from "#domain/readiness.ts";
import { createRoute, endpoint, returns, refusals, refuse } from "#http/endpoint.ts";
import { id, int64 } from "#http/schema/integers.ts";
import { timestampOrNull } from "#http/schema/timestamp.ts";
import * as z from "#http/schema/zod.ts";
import { inTurn } from "#http/turns.ts";
import { readOverview, type Standing } from "#store/reports/overview.ts";
import { maxCounted, type TopRow } from "#store/reports/top-lists.ts";
import { actingMember } from "../actor.ts";
import { memberRefusals, programMember } from "../guards.ts";
import { ProgramPath } from "../params.ts";
import { bothDays, ever, maxDays, periodFields, rangeOf } from "./period.ts";
import { inOrder, ofDays, partnerId } from "./query.ts";

const Query = z
  .object({ ...periodFields(), partnerId: partnerId() })
  .refine(...bothDays())
  .refine(...inOrder())
  .refine(...ofDays(maxDays));

const count = int64();

const TopList = (what: string) =>
  z
    .array(
      z
        .object({
          value: z.string().nullable().describe("Null if it is unknown."),
          clicks: count,
          sales: count.describe("Attributed sales, in any currency, by the click that they are attributed to."),
        })
        .openapi("TopListRow"),
    )
    .describe(`${what}, most clicks first, at most 10.`);

const OverviewReply = z
  .object({
    data: z.object({
      commissions: z
        .array(
          z.object({
            currency: z.string(),
            pendingCents: int64().describe("On hold, in the currency's smallest unit."),
            approvedCents: int64().describe("To pay or in payout, in the currency's smallest unit."),
            paidCents: int64().describe("Paid, in the currency's smallest unit."),
            unconfirmed: count.describe("Commissions on hold that need a confirmation."),
          }),
        )
        .describe("All commissions of the program by status, whatever the period."),
      integrationVerified: z.boolean(),
      state: z.enum(readinessStates).describe("State of the program's readiness."),
      lastClickAt: z.iso.datetime().nullable().describe("The program's latest click, whatever the period and partner."),
      clicksStopped: z
        .boolean()
        .describe(
          "No click has come for longer than usual: for a day at least, and for longer than the days without clicks in the four weeks up to the latest click make likely.",
        ),
      landingPages: TopList("Landing pages without their query"),
      referrers: TopList("Hosts of referrers"),
      countries: TopList("Countries (ISO 3166-1 alpha-2)"),
      devices: TopList("Types of device"),
    }),
    meta: z.object({
      period: z.enum(["7d", "30d", "90d", "all", "custom"]),
      dateFrom: z.string().nullable().describe("Null for `all`."),
      dateTo: z.string().nullable().describe("Null for `all`."),
      timezone: z.string(),
      partner: z
        .object({ id: id(), name: z.string() })
        .nullable()
        .describe("The partner that the query names. Null if it names none, or if the program doesn't have this one."),
      countedClicks: count.describe(`Clicks that the lists count: the latest ${maxCounted.clicks} of the period.`),
      countedSales: count.describe(`Sales that the lists count: the latest ${maxCounted.sales} of the period.`),
      isComplete: z.boolean().describe("False if the period may have more clicks or sales than the lists count."),
    }),
  })
  .openapi("Overview");

export const overview = endpoint({
  route: createRoute({
    method: "get",
    path: "/overview/{programId}",
    operationId: "getOverview",
    tags: ["Dashboard"],
    summary: "Get a program's top lists and open commissions",
    description:
      "Where the clicks and attributed sales of a period came from, and what commissions amount to by status. Days are in " +
      "the program's time zone. Test events are not counted.",
    ...programMember("viewer"),
    request: { params: ProgramPath, query: Query },
    responses: {
      ...returns("Overview", OverviewReply),
      ...refusals([...memberRefusals, "invalid_input"]),
    },
  }),
  handler: async (c) => {
    const { partnerId, ...query } = c.req.valid("query");
    const program = c.get("program");
    const { at } = c.get("call");
    const { period, days } = rangeOf(query, dayIn(program.timezone, at));
    const book = { programId: program.id, isTest: false };
    const found = await inTurn(c, actingMember(c), () =>
      readFromDatabase(c, "program", (database) => readOverview(database, book, { days, partnerId, at })),
    );
    if (!found.ok) return refuse(c, found.refusal);
    if (found.value === undefined) return refuse(c, { code: "not_found", what: "program" });

    const { facts, standing, pace, partner, listOf, counted } = found.value;
    const { integrationVerified, state, lastEventAt } = readiness(facts, at);
    const data = {
      commissions: standing.map(standingReply),
      integrationVerified,
      state,
      lastClickAt: timestampOrNull(lastEventAt.click),
      clicksStopped: haveClicksStopped(lastEventAt.click, pace, at),
      landingPages: listOf("landingPages").map(rowReply),
      referrers: listOf("referrers").map(rowReply),
      countries: listOf("countries").map(rowReply),
      devices: listOf("devices").map(rowReply),
    };
    const meta = {
      period,
      dateFrom: days === ever ? null : days.from,
      dateTo: days === ever ? null : days.to,
      timezone: program.timezone,
      partner: partner && { id: partner.id, name: partner.name },
      countedClicks: counted.clicks,
      countedSales: counted.sales,
      isComplete: counted.clicks < maxCounted.clicks && counted.sales < maxCounted.sales,
    };
    return c.json({ data, meta }, 200);
  },
});

const rowReply = ({ value, clicks, sales }: TopRow) => ({ value, clicks, sales });

const standingReply = ({ currency, pendingCents, approvedCents, paidCents, unconfirmed }: Standing) => ({
  currency,
  pendingCents: clamped(pendingCents),
  approvedCents: clamped(approvedCents),
  paidCents: clamped(paidCents),
  unconfirmed,
});
