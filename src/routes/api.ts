import { OpenAPIHono } from "@hono/zod-openapi";
import type { AppEnv } from "#http/context.ts";
import { healthz, readyz } from "./health.ts";
import { track } from "./track/index.ts";

export const health = new OpenAPIHono<AppEnv>().openapiRoutes([healthz, readyz] as const);

/**
 * The routes of clicks, leads, sales, refunds and health checks. The other APIs are loaded on first use (`src/app.ts`),
 * so that a tracking call doesn't compile them.
 */
export const trackingApi = new OpenAPIHono<AppEnv>().route("/api/v1/track", track).route("/", health);
