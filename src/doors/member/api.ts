import { OpenAPIHono } from "@hono/zod-openapi";
import type { AppEnv } from "#http/context.ts";
import { auth } from "./auth/index.ts";
import { manage } from "./manage.ts";
import { tracking } from "./tracking.ts";

export const sessionApi = new OpenAPIHono<AppEnv>()
  .route("/api/auth", auth)
  .route("/api/tracking", tracking)
  .route("/api", manage);
