import { OpenAPIHono } from "@hono/zod-openapi";
import type { AppEnv } from "../../http/app-env.ts";

/** Workspaces, programs, partners, policies and commissions. Paths are whole, under /api. */
export const manage = new OpenAPIHono<AppEnv>().openapiRoutes([] as const);
