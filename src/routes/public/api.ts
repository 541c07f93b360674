import { OpenAPIHono } from "@hono/zod-openapi";
import type { AppEnv } from "../../http/context.ts";
import { healthz, readyz } from "./health.ts";
import { programs } from "./program/index.ts";
import { track } from "./track/index.ts";

const health = new OpenAPIHono<AppEnv>().openapiRoutes([healthz, readyz] as const);

export const publicApi = new OpenAPIHono<AppEnv>()
  .route("/api/v1/track", track)
  .route("/api/v1/programs", programs)
  .route("/", health);
