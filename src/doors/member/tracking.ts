import { OpenAPIHono } from "@hono/zod-openapi";
import type { AppEnv } from "#http/context.ts";
import { events } from "./reports/events.ts";
import { explain } from "./reports/explain.ts";
import { overview } from "./reports/overview.ts";
import { partnerPerformance } from "./reports/partner-performance.ts";
import { performance } from "./reports/performance.ts";
import { readiness } from "./reports/readiness.ts";
import { search } from "./reports/search.ts";
import { status } from "./reports/status.ts";
import { checkTestEvents } from "./testing/check-test-events.ts";
import { createTestEvent } from "./testing/create-test-event.ts";
import { runVerification } from "./testing/run-verification.ts";

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
