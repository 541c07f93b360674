import { createMiddleware } from "hono/factory";
import type { AppEnv } from "./context.ts";
import { isForAnySite, setCorsHeaders } from "./headers.ts";
import { refuse } from "./refusal/refuse.ts";

const yearSeconds = 31_536_000;

/** Health checks of load balancers, and a script that holds nothing secret. */
const allowedOverHttp = /^\/(?:healthz$|readyz$|js\/)/;

/** Off this machine everything goes over https. A page redirects; a call is refused, so that its sender is corrected. */
export const requireHttps = createMiddleware<AppEnv>(async (c, next) => {
  const { isSecure, isPlainHttpAllowed } = c.get("transport");
  if (isSecure) c.header("Strict-Transport-Security", `max-age=${yearSeconds}`);
  const { method, path, url } = c.req;
  if (isSecure || isPlainHttpAllowed || allowedOverHttp.test(path)) return next();
  const isPage = !/^\/api(?:\/|$)/.test(path) && (method === "GET" || method === "HEAD");
  if (isPage) return c.redirect(overHttps(url), 308);
  if (isForAnySite(path)) setCorsHeaders(c);
  return refuse(c, { code: "https_required" });
});

/** At its default port: the one that was called speaks http. */
const overHttps = (url: string): string => url.replace(/^http:(\/\/[^/?#]*?)(?::\d+)?(?=[/?#]|$)/, "https:$1");
