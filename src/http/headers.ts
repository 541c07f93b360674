import { cors } from "hono/cors";
import { createMiddleware } from "hono/factory";
import type { AppEnv, Ctx } from "./context.ts";

const defaultHeaders = Object.entries({
  "Cache-Control": "no-store",
  "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
  "Cross-Origin-Resource-Policy": "same-origin",
  "Referrer-Policy": "no-referrer",
  "X-Content-Type-Options": "nosniff",
  "X-Frame-Options": "DENY",
});

export const secureHeaders = createMiddleware<AppEnv>((c, next) => {
  for (const [name, value] of defaultHeaders) c.header(name, value);
  return next();
});

const exposeHeaders = ["Retry-After", "X-Request-Id"];
const preflight = cors({
  origin: "*",
  allowMethods: ["POST"],
  allowHeaders: ["content-type"],
  exposeHeaders,
  maxAge: 86_400,
});

/**
 * CORS for calls from any site. Doesn't allow the Authorization header, so that no key is used in a browser. Uses
 * Hono's `cors` only for preflights, because `cors` makes Hono build each response twice, which takes a tenth of a
 * click's time.
 */
export const allowAnyOrigin = createMiddleware<AppEnv>((c, next) => {
  c.header("Cross-Origin-Resource-Policy", "cross-origin");
  if (c.req.method === "OPTIONS") return preflight(c, next);
  setCorsHeaders(c);
  return next();
});

/** True for paths that any origin may call. Used for refusals that are sent before `allowAnyOrigin` runs. */
export const allowsAnyOrigin = (path: string): boolean => /^\/api\/v1\/track\/(click|lead|offer)$/.test(path);

export function setCorsHeaders(c: Ctx): void {
  c.header("Access-Control-Allow-Origin", "*");
  c.header("Access-Control-Expose-Headers", exposeHeaders.join(","));
}
