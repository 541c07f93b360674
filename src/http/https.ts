import { createMiddleware } from "hono/factory";
import type { AppEnv } from "./context.ts";
import { allowsAnyOrigin, setCorsHeaders } from "./headers.ts";
import { refuse } from "./refusal/refuse.ts";

const yearSeconds = 31_536_000;

/** Health checks of load balancers, and the public browser script. */
const allowedOverHttp = /^\/(?:healthz$|readyz$|js\/)/;

/** Redirects pages to https. Refuses API calls, so that their sender gets corrected. */
export const requireHttps = createMiddleware<AppEnv>(async (c, next) => {
  const { isSecure, isPlainHttpAllowed } = c.get("transport");
  if (isSecure) c.header("Strict-Transport-Security", `max-age=${yearSeconds}`);
  const { method, path, url } = c.req;
  if (isSecure || isPlainHttpAllowed || allowedOverHttp.test(path)) return next();
  const isPage = !/^\/api(?:\/|$)/.test(path) && (method === "GET" || method === "HEAD");
  if (isPage) return c.redirect(toHttps(url), 308);
  if (allowsAnyOrigin(path)) setCorsHeaders(c);
  return refuse(c, { code: "https_required" });
});

/** Drops the port, which speaks http. */
const toHttps = (url: string): string => url.replace(/^http:(\/\/[^/?#]*?)(?::\d+)?(?=[/?#]|$)/, "https:$1");
