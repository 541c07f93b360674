import { OpenAPIHono } from "@hono/zod-openapi";
import type { AppEnv } from "../../http/app-env.ts";
import { auth } from "../auth/index.ts";
import { manage } from "../manage/index.ts";
import { tracking } from "../tracking/index.ts";

/** What people who sign in call. */
export const sessionDescribed = new OpenAPIHono<AppEnv>()
  .route("/api/auth", auth)
  .route("/api/tracking", tracking)
  .route("/api", manage);
