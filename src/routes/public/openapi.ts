import { OpenAPIHono } from "@hono/zod-openapi";
import type { AppEnv } from "../../http/app-env.ts";
import { programs } from "../programs/index.ts";
import { track } from "../track/index.ts";
import { healthz, readyz } from "./health.ts";

const health = new OpenAPIHono<AppEnv>().openapiRoutes([healthz, readyz] as const);

/** What integrators and operators call. */
export const described = new OpenAPIHono<AppEnv>()
  .route("/api/v1/track", track)
  .route("/api/v1/programs", programs)
  .route("/", health);

described.openAPIRegistry.registerComponent("securitySchemes", "programKey", {
  type: "http",
  scheme: "bearer",
  description: "The program's API key, from a backend only.",
});

const info = {
  title: "Tributary",
  version: "1",
  summary: "Affiliate tracking: clicks, sign-ups, sales, refunds, and the commissions they earn.",
};

const tags = [
  { name: "Tracking", description: "Events, as they happen. An event sent twice counts once." },
  { name: "Program", description: "What a program's key tells of the program." },
  { name: "Service", description: "For whoever runs the service." },
];

/** The description of the public endpoints, made of the very schemas that judge their calls. */
export const openApiDocument = (server = "/") =>
  described.getOpenAPI31Document({ openapi: "3.1.0", info, tags, servers: [{ url: server }] });
