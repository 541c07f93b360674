import { cors } from "hono/cors";
import { createMiddleware } from "hono/factory";
import type { AppEnv } from "./app-env.ts";

/** No answer of the API is to be stored, or taken for something that it is not. */
export const apiHeaders = createMiddleware<AppEnv>((c, next) => {
  c.header("Cache-Control", "no-store");
  c.header("X-Content-Type-Options", "nosniff");
  return next();
});

/** For what a visitor's browser sends from any site. No key may come from a browser, so its header is not allowed. */
export const fromAnySite = cors({
  origin: "*",
  allowMethods: ["POST"],
  allowHeaders: ["content-type"],
  exposeHeaders: ["Retry-After", "X-Request-Id"],
  maxAge: 86_400,
});
