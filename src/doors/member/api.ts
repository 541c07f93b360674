import { OpenAPIHono } from "@hono/zod-openapi";
import type { AppEnv } from "#http/context.ts";
import { auth } from "./auth/index.ts";
import { events } from "./events.ts";
import { explain, search } from "./explain.ts";
import { manage } from "./manage.ts";
import { partnerPerformance } from "./partner-performance.ts";
import { overview, performance } from "./performance.ts";
import { readiness, status } from "./readiness.ts";
import { checkTestEvents, createTestEvent, runVerification } from "./testing.ts";
import { confirmUnsubscribe, unsubscribe } from "./unsubscribe.ts";

const tracking = new OpenAPIHono<AppEnv>().openapiRoutes([
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

const mail = new OpenAPIHono<AppEnv>().openapiRoutes([confirmUnsubscribe, unsubscribe] as const);

export const sessionApi = new OpenAPIHono<AppEnv>()
  .route("/api/auth", auth)
  .route("/api/tracking", tracking)
  .route("/api/mail", mail)
  .route("/api", manage);
