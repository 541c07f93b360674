import { createRoute } from "@hono/zod-openapi";
import { monitorOf } from "../../env.ts";
import { ok } from "../../http/content.ts";
import type { Ctx } from "../../http/context.ts";
import { endpoint } from "../../http/endpoint.ts";
import { refuse } from "../../http/refusal/refuse.ts";
import { refusals } from "../../http/refusal/responses.ts";
import * as z from "../../http/schema/zod.ts";
import { pingDatabase } from "../../store/database.ts";
import { readFromDatabase, unavailable } from "../read-database.ts";

const Health = z.object({ status: z.literal("ok") }).openapi("Health");
const healthy = { status: "ok" } as const;

export const healthz = endpoint({
  route: createRoute({
    method: "get",
    path: "/healthz",
    operationId: "getHealth",
    tags: ["Service"],
    summary: "Liveness check",
    security: [],
    responses: ok("OK", Health),
  }),
  handler: (c) => c.json(healthy, 200),
});

/** Anybody may ask, as often as they like: beside so many others one hears what was found last. */
const maxPings = 4;
const maxAgeMs = 10_000;
let pings = 0;
let last: { readonly at: number; readonly reached: Reached } | undefined;

type Reached = Awaited<ReturnType<typeof readFromDatabase<void>>>;

async function reach(c: Ctx): Promise<Reached> {
  const { at } = c.get("call");
  if (pings >= maxPings && last !== undefined && Math.abs(at - last.at) < maxAgeMs) return last.reached;
  pings += 1;
  try {
    const reached = await readFromDatabase(c, pingDatabase);
    last = { at, reached };
    return reached;
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
    security: [],
    responses: {
      ...ok("OK", Health),
      ...refusals(undefined, ["internal", "unavailable"]),
    },
  }),
  handler: async (c) => {
    if (monitorOf(c.env)?.isReady() === false) return refuse(c, unavailable);
    const reached = await reach(c);
    return reached.ok ? c.json(healthy, 200) : refuse(c, reached.refusal);
  },
});
