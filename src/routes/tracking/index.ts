import { OpenAPIHono } from "@hono/zod-openapi";
import type { AppEnv } from "../../http/app-env.ts";

/** What the dashboard shows of a program, and the tools to try its integration. */
export const tracking = new OpenAPIHono<AppEnv>().openapiRoutes([] as const);
