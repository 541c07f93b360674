import { createMiddleware } from "hono/factory";
import { baseUrlOf } from "#env.ts";
import type { AppEnv, Ctx } from "./context.ts";
import { allowsAnyOrigin, setCorsHeaders } from "./headers.ts";
import { refuse } from "./refusal/refuse.ts";

const yearSeconds = 31_536_000;

/** Paths that work over http: health checks of load balancers, and the public browser script. */
const allowedOverHttp = /^\/(?:healthz$|readyz$|js\/)/;

/** Redirects requests for pages to https. Refuses API calls, so that their callers notice the mistake and use https. */
export const requireHttps = createMiddleware<AppEnv>(async (c, next) => {
  const { isSecure, isPlainHttpAllowed } = c.get("transport");
  if (isSecure) c.header("Strict-Transport-Security", `max-age=${yearSeconds}`);
  const { method, path } = c.req;
  if (isSecure || isPlainHttpAllowed || allowedOverHttp.test(path)) return next();
  const isPage = !/^\/api(?:\/|$)/.test(path) && (method === "GET" || method === "HEAD");
  if (isPage) return c.redirect(secureUrl(c), 308);
  if (allowsAnyOrigin(path)) setCorsHeaders(c);
  return refuse(c, { code: "https_required" });
});

/**
 * Uses the service's own origin if it is configured. Otherwise uses the host in the request, without the port, which is
 * the port for http.
 */
function secureUrl({ env, req }: Ctx): string {
  const known = baseUrlOf(env);
  const origin = known?.startsWith("https:") ? known : "https:$1";
  return req.url.replace(/^http:(\/\/[^/?#]*?)(?::\d+)?(?=[/?#]|$)/, origin);
}
