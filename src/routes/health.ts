import { readFromDatabase } from "#api/read-database.ts";
import { clockFault } from "#domain/clock-fault.ts";
import { ok, type Result, refused, unavailable } from "#domain/result.ts";
import { monitorOf } from "#env.ts";
import type { Ctx } from "#http/context.ts";
import * as z from "#http/schema/zod.ts";
import { createRoute, endpoint, refusals, refuse, returns } from "#http/tracking-endpoint.ts";
import { readOtherTimes } from "#store/fenced-row.ts";

const Health = z.object({ status: z.literal("ok") }).openapi("Health");
const healthy = { status: "ok" } as const;

export const healthz = endpoint({
  route: createRoute({
    method: "get",
    path: "/healthz",
    operationId: "getHealth",
    tags: ["Service"],
    summary: "Liveness check",
    description: "Returns 200 as long as the process runs. Doesn't check the database.",
    security: [],
    responses: returns("OK", Health),
  }),
  handler: (c) => c.json(healthy, 200),
});

// The endpoint has no rate limit, so concurrent pings of the database are limited. While the limit is reached, a call
// gets the latest result.
const maxPings = 4;
const maxAgeMs = 10_000;
let pings = 0;
let last: { readonly at: number; readonly result: Result<void> } | undefined;

async function checkDatabase(c: Ctx): Promise<Result<void>> {
  const { at } = c.get("call");
  if (pings >= maxPings && last !== undefined && Math.abs(at - last.at) < maxAgeMs) return last.result;
  pings += 1;
  try {
    const read = await readFromDatabase(c, "home", readOtherTimes);
    const isClockWrong = read.ok && clockFault(at, read.value) !== undefined;
    const result = !read.ok ? read : isClockWrong ? refused(unavailable) : ok(undefined);
    last = { at, result };
    return result;
  } finally {
    pings -= 1;
  }
}

export const readyz = endpoint({
  route: createRoute({
    method: "get",
    path: "/readyz",
    operationId: "getReady",
    tags: ["Service"],
    summary: "Readiness check, including the database",
    description:
      "Returns 503 while the database doesn't respond, a clock is wrong or, if self-hosted, the disk is nearly full or can't be written.",
    security: [],
    responses: {
      ...returns("OK", Health),
      ...refusals(["internal", "unavailable"]),
    },
  }),
  handler: async (c) => {
    const monitor = monitorOf(c.env);
    const isClockSetAhead = monitor?.clock.fault(c.get("call").at) !== undefined;
    if (isClockSetAhead || monitor?.isReady() === false) return refuse(c, unavailable);
    const result = await checkDatabase(c);
    return result.ok ? c.json(healthy, 200) : refuse(c, result.refusal);
  },
});
