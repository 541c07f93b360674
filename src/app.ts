import { createApp } from "#http/app.ts";
import { trackingApi } from "#routes/api.ts";
import { dashboard } from "#routes/dashboard.ts";
import { documentation } from "#routes/documentation.ts";
import type { Env } from "./env.ts";

export const publicApp = createApp();
export const routes = publicApp.route("/", trackingApi).route("/", documentation).route("/", dashboard);

const pathOf = ({ url }: Request): string => url.slice(url.indexOf("/", url.indexOf("//") + 2));

/**
 * Loads the app for a request. Every app except the public one is loaded on first use, so that tracking calls don't
 * compile it.
 */
async function appOf(request: Request) {
  const path = pathOf(request);
  if (/^\/api\/v1\/programs\//.test(path)) return (await import("#doors/key/index.ts")).programApp;
  if (/^\/mcp(\?|$)/.test(path)) return (await import("#doors/key/agent/index.ts")).agentApp;
  if (/^\/api\/v1\/track\/offer\b/.test(path)) return (await import("#routes/track/offer.ts")).offerApp;
  if (/^\/(api\/)?embed\//.test(path)) return (await import("#doors/embed/index.ts")).embedApp;
  if (!/^\/api\/(?!v1([/?]|$))/.test(path)) return publicApp;
  if (path.startsWith("/api/operator/")) return (await import("#doors/operator/index.ts")).operatorApp;
  return /^\/api\/(partner|join)\//.test(path)
    ? (await import("#doors/partner/index.ts")).partnerApp
    : (await import("#doors/member/index.ts")).sessionApp;
}

export const app = {
  async fetch(request: Request, env: Env, context: ExecutionContext): Promise<Response> {
    return (await appOf(request)).fetch(request, env, context);
  },
};
