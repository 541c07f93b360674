import type { Env } from "../src/env.ts";
import worker, { Ledger } from "../src/worker.ts";
import { type Assets, isForWorker, serveAsset } from "./assets.ts";
import { createRateLimit, type RateLimitSettings } from "./limits.ts";

// The Worker on plain workerd. What Cloudflare puts around it is here: static files, and the limits of calls.

export { Ledger };

interface ServerEnv extends Env {
  readonly FILES: Fetcher;
  readonly STATIC: Assets;
  readonly LIMITS: Readonly<Record<string, RateLimitSettings>>;
}

let bound: { readonly from: ServerEnv; readonly env: Env } | undefined;

/** As wrangler.toml binds it. */
function bind(from: ServerEnv): Env {
  if (bound?.from === from) return bound.env;
  const limits = Object.fromEntries(
    Object.entries(from.LIMITS).map(([name, settings]) => [name, createRateLimit(settings)]),
  );
  const { FILES, STATIC } = from;
  const fetch = async (input: RequestInfo | URL, init?: RequestInit) =>
    (await serveAsset(new Request(input, init), STATIC, FILES)) ?? new Response(null, { status: 404 });
  const env = { ...from, ...limits, ASSETS: { fetch } };
  bound = { from, env };
  return env;
}

export default {
  async fetch(request: Request, env: ServerEnv, context: ExecutionContext): Promise<Response> {
    const isAsked = !isForWorker(env.STATIC, new URL(request.url).pathname);
    const asset = isAsked ? await serveAsset(request, env.STATIC, env.FILES) : undefined;
    return asset ?? worker.fetch(request, bind(env), context);
  },
};
