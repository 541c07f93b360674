import { OpenAPIHono } from "@hono/zod-openapi";
import type { AppEnv } from "#http/context.ts";
import { refuseIn } from "#http/refusal/refuse.ts";
import { explain } from "./explain.ts";
import { readiness, readinessStyle } from "./readiness.ts";
import { verification } from "./verification.ts";

const family = new OpenAPIHono<AppEnv>();

family.use("/me/readiness", refuseIn(readinessStyle));

export const programs = family.openapiRoutes([readiness, verification, explain] as const);
