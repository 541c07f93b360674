import { OpenAPIHono } from "@hono/zod-openapi";
import type { AppEnv } from "#http/context.ts";
import { events } from "./events.ts";
import { explain, search } from "./explain.ts";
import { partnerPerformance } from "./partner-performance.ts";
import { overview, performance } from "./performance.ts";
import { readiness, status } from "./readiness.ts";
import { checkTestEvents, createTestEvent, runVerification } from "./testing.ts";

export const tracking = new OpenAPIHono<AppEnv>().openapiRoutes([
  status,
  events,
  performance,
  partnerPerformance,
  overview,
  readiness,
  explain,
  search,
  createTestEvent,
  checkTestEvents,
  runVerification,
] as const);
