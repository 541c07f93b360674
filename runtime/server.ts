import type { Shard } from "#domain/ids.ts";
import type { Env, Monitor } from "#env.ts";
import { BoundedCache } from "#http/bounded-cache.ts";
import worker, { Ledger as WorkerLedger } from "#worker.ts";
import { type Assets, isForWorker, serveAsset } from "./assets.ts";
import { machineClock } from "./clock.ts";
import { compress } from "./compress.ts";
import { isDiskLow } from "./disk.ts";
import { untrustedForwarding } from "./forwarding.ts";
import { instruments } from "./instruments.ts";
import { createRateLimit, type RateLimitSettings } from "./limits.ts";
import { answerLocally, type LocalEnv } from "./local.ts";
import { answerMailbox, type MailboxEnv } from "./mailbox.ts";

// The Worker on a self-hosted machine. This file adds what Cloudflare provides: static files, rate limits, compressed
// pages, the date of a response, and metrics. It also adds the page for emails that `npm start` shows.

interface ServerEnv extends LocalEnv, MailboxEnv {
  readonly FILES: Fetcher;
  readonly STATIC: Assets;
  readonly LIMITS: Readonly<Record<string, RateLimitSettings>>;
  /** False while the file of a Ledger can't be written. */
  readonly areLedgersWritable?: () => boolean;
}

const { onCall, onRound, onDatabaseFault } = instruments;
const unwritable = new Set<Shard>();
const onUntrustedForwarding = untrustedForwarding();
const monitor: Monitor = {
  onCall,
  onRound,
  onDatabaseFault,
  onUntrustedForwarding,
  onWritable: (shard, isWritable) => void (isWritable ? unwritable.delete(shard) : unwritable.add(shard)),
  isReady: () => !isDiskLow() && unwritable.size === 0,
  clock: machineClock,
};

export class Ledger extends WorkerLedger {
  constructor(context: DurableObjectState, env: Env) {
    super(context, { ...env, MONITOR: monitor });
  }
}

export { Deliverer, RequestLog, WebhookSender } from "#worker.ts";

let bound: { readonly from: ServerEnv; readonly env: Env } | undefined;

function bind(from: ServerEnv): Env {
  if (bound?.from === from) return bound.env;
  // If the service has several processes, `from` already contains the limits that one of them counts for all.
  const own = Object.entries(from.LIMITS).filter(([name]) => !(name in from));
  const limits = Object.fromEntries(own.map(([name, settings]) => [name, createRateLimit(settings)]));
  const { FILES, STATIC, areLedgersWritable = () => true } = from;
  const isReady = () => monitor.isReady() && areLedgersWritable();
  const fetch = async (input: RequestInfo | URL, init?: RequestInit) =>
    (await serveAsset(new Request(input, init), STATIC, FILES)) ?? new Response(null, { status: 404 });
  const env = { ...from, ...limits, ASSETS: { fetch }, MONITOR: { ...monitor, isReady } };
  bound = { from, env };
  return env;
}

const workerUrls = new BoundedCache<boolean>(1_000);

/**
 * True for a URL that can be parsed. The runtime builds the URL from the Host header, which may be malformed, and from
 * the target, which is `*` in `OPTIONS *`.
 */
const isUrl = (text: string): boolean => /^https?:\/\/[^/?#]+\//.test(text) && URL.canParse(text);

const badRequest = (): Response => new Response("Bad Request", { status: 400 });

async function answerAsset(request: Request, { STATIC, FILES }: ServerEnv): Promise<Response | undefined> {
  const { method, url } = request;
  const known = workerUrls.get(url);
  if (known === undefined && !isUrl(url)) return badRequest();
  if (known ?? workerUrls.set(url, isForWorker(STATIC, new URL(url).pathname))) return undefined;
  const startedAt = Date.now();
  const answer = await serveAsset(request, STATIC, FILES);
  if (answer === undefined) return undefined;
  const { status } = answer;
  const outcome = status === 405 ? "method_not_allowed" : "ok";
  onCall({ method, route: "static", status, outcome, duration_ms: Date.now() - startedAt });
  return answer;
}

let date = { second: 0, text: "" };

function httpDate(): string {
  const second = Math.floor(Date.now() / 1_000);
  if (date.second !== second) date = { second, text: new Date(second * 1_000).toUTCString() };
  return date.text;
}

export default {
  async fetch(request: Request, env: ServerEnv, context: ExecutionContext): Promise<Response> {
    const found =
      (await answerAsset(request, env)) ??
      (await answerMailbox(request, env)) ??
      (await worker.fetch(request, bind(env), context));
    const answer = compress(request, found);
    // The runtime doesn't set the date.
    answer.headers.set("date", httpDate());
    return answer;
  },
};

export const local = {
  fetch: async (request: Request, env: ServerEnv): Promise<Response> =>
    isUrl(request.url) ? answerLocally(request, env) : badRequest(),
};
