import { readFromDatabase } from "#api/read-database.ts";
import { ReadinessReply, readVerdict } from "#api/readiness.ts";
import type { ProgramId } from "#domain/ids.ts";
import { notFound } from "#domain/result.ts";
import { createRoute, endpoint, refusals, refuse, returns } from "#http/endpoint.ts";
import { id, int64 } from "#http/schema/integers.ts";
import { timestamp } from "#http/schema/timestamp.ts";
import * as z from "#http/schema/zod.ts";
import { type BookStatus, type LatestEvent, readStatus, type TrackingStatus } from "#store/reports/status.ts";
import { memberRefusals, programMember } from "./guards.ts";
import { ProgramPath } from "./params.ts";

export const readiness = endpoint({
  route: createRoute({
    method: "get",
    path: "/readiness/{programId}",
    operationId: "getProgramReadiness",
    tags: ["Dashboard"],
    summary: "Get a program's readiness",
    description: "Returns the same object as `/api/v1/programs/me/readiness`.",
    ...programMember("viewer"),
    request: { params: ProgramPath },
    responses: {
      ...returns("Readiness verdict", ReadinessReply),
      ...refusals(memberRefusals),
    },
  }),
  handler: async (c) => {
    const program = c.get("program");
    const call = c.get("call");
    const verdict = await readVerdict(c, program.id, call.at);
    if (!verdict.ok) return refuse(c, verdict.refusal);
    return verdict.value ? c.json(verdict.value, 200) : refuse(c, notFound("program"));
  },
});

const Latest = z
  .object({ id: id(), timestamp: z.iso.datetime() })
  .nullable()
  .openapi("LatestEvent", { description: "The latest event, or null if there is none." });
const Statistics = z
  .object({
    testEventCount: int64(),
    liveEventCount: int64(),
    hasTestEvents: z.boolean(),
    latestTestEvent: Latest,
    latestLiveEvent: Latest,
  })
  .openapi("EventStatistics");
const StepStatus = z.enum(["complete", "pending"]);

const StatusReply = z
  .object({
    data: z.object({
      programId: id(),
      stepStatuses: z
        .object({ pageview: StepStatus, referrals: StepStatus, payments: StepStatus })
        .describe(
          "A step is `complete` once an event of its kind exists, test or live: a click for `pageview`, a lead for `referrals`, a sale for `payments`.",
        ),
      statistics: z.object({ pageview: Statistics, referrals: Statistics, payments: Statistics }),
      hasPartners: z.boolean(),
      lastUpdated: z.iso.datetime(),
    }),
  })
  .openapi("TrackingStatus");

export const status = endpoint({
  route: createRoute({
    method: "get",
    path: "/status/{programId}",
    operationId: "getTrackingStatus",
    tags: ["Dashboard"],
    summary: "Get a program's integration status",
    description: "Clicks by bots and events created by verification are not counted.",
    ...programMember("viewer"),
    request: { params: ProgramPath },
    responses: {
      ...returns("Integration status", StatusReply),
      ...refusals(memberRefusals),
    },
  }),
  handler: async (c) => {
    const program = c.get("program");
    const call = c.get("call");
    const found = await readFromDatabase(c, "program", (database) => readStatus(database, { programId: program.id }));
    if (!found.ok) return refuse(c, found.refusal);
    return c.json({ data: statusReply(program.id, found.value, call.at) }, 200);
  },
});

function statusReply(programId: ProgramId, status: TrackingStatus, at: number): z.output<typeof StatusReply>["data"] {
  const statistics = {
    pageview: statisticsOf(status, ({ counts, click }) => ({ count: counts.clicks, latest: click })),
    referrals: statisticsOf(status, ({ counts, lead }) => ({ count: counts.leads, latest: lead })),
    payments: statisticsOf(status, ({ counts, sale }) => ({ count: counts.sales, latest: sale })),
  };
  const stepOf = ({ testEventCount, liveEventCount }: z.output<typeof Statistics>) =>
    testEventCount + liveEventCount > 0 ? ("complete" as const) : ("pending" as const);
  const { pageview, referrals, payments } = statistics;
  return {
    programId,
    stepStatuses: { pageview: stepOf(pageview), referrals: stepOf(referrals), payments: stepOf(payments) },
    statistics,
    hasPartners: status.hasPartners,
    lastUpdated: timestamp(at),
  };
}

function statisticsOf(
  { test, live }: TrackingStatus,
  pick: (book: BookStatus) => { readonly count: number; readonly latest: LatestEvent | undefined },
): z.output<typeof Statistics> {
  const [tested, lived] = [pick(test), pick(live)];
  return {
    testEventCount: tested.count,
    liveEventCount: lived.count,
    hasTestEvents: tested.count > 0,
    latestTestEvent: latestReply(tested.latest),
    latestLiveEvent: latestReply(lived.latest),
  };
}

const latestReply = (event: LatestEvent | undefined): z.output<typeof Latest> =>
  event === undefined ? null : { id: event.id, timestamp: timestamp(event.at) };
