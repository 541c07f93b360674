import { Hono } from "hono";
import type { AppEnv } from "../../http/app-env.ts";
import { openApiDocument } from "./openapi.ts";

export const description = new Hono<AppEnv>().get("/api/v1/openapi.json", (c) =>
  c.json(openApiDocument(new URL(c.req.url).origin)),
);
