import { OpenAPIHono } from "@hono/zod-openapi";
import type { AppEnv } from "../../http/app-env.ts";
import { checkTestEvents } from "./check-test-events.ts";
import { events } from "./events.ts";
import { performance } from "./performance.ts";
import { readiness } from "./readiness.ts";
import { runVerification } from "./run-verification.ts";
import { status } from "./status.ts";
import { test } from "./test.ts";

/** What the dashboard shows of a program, and the tools to try its integration. */
export const tracking = new OpenAPIHono<AppEnv>().openapiRoutes([
  status,
  events,
  performance,
  readiness,
  test,
  checkTestEvents,
  runVerification,
] as const);
