import { AsyncLocalStorage } from "node:async_hooks";
import { randomBytes, randomInt } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { replyChecker } from "./openapi.ts";
import { send } from "./send.ts";

export type Json = null | boolean | number | string | Json[] | { readonly [name: string]: Json | undefined };
export type JsonObject = { readonly [name: string]: Json | undefined };

export interface CallOptions {
  readonly key?: string | undefined;
  /** The caller's IP address, sent as CF-Connecting-IP. The default is an address that only this caller has. */
  readonly ip?: string | undefined;
  readonly browser?: boolean | undefined;
  /** Headers that override all others. Undefined removes a header. */
  readonly headers?: Readonly<Record<string, string | undefined>> | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface RequestOptions extends CallOptions {
  /** The body. A string is sent unchanged, anything else as JSON. */
  readonly body?: Json | undefined;
  /** False skips the check against the OpenAPI document, for paths that it doesn't list. */
  readonly checked?: boolean | undefined;
}

export interface Reply<Body = JsonObject> {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The parsed body. Undefined if the body isn't JSON. */
  readonly body: Body & Refused;
}

interface Refused {
  readonly error: {
    readonly status: number;
    readonly name: string;
    readonly code: string;
    readonly message: string;
    readonly details: JsonObject & { readonly errors?: { path: (string | number)[]; message: string; name: string }[] };
    readonly retry_after_seconds: number;
    readonly hint: string;
    readonly docs_url: string;
  };
  readonly warnings: readonly { readonly code: string; readonly message: string; readonly rotate_by: string }[];
}

interface Tracked {
  readonly success: boolean;
  readonly message: string;
  readonly data: { readonly eventId: number; readonly programId: number; readonly test_mode: true };
}

export interface ClickBody extends Tracked {
  readonly click_id: string;
  readonly partner_code: string;
  readonly cookie_window_days: number;
}

export interface LeadBody extends Tracked {
  readonly lead_id: number;
  readonly attributed: boolean;
  readonly partner_code: string;
  readonly provisional: boolean;
  readonly duplicate: boolean;
  readonly moved: boolean;
  readonly reason: string;
  readonly click_age_days: number;
  readonly window_days: number;
  readonly attributed_sales: readonly { readonly sale_id: number; readonly commission_id: number }[];
}

export interface CommissionBody {
  readonly amount_cents: number;
  readonly currency: string;
  readonly status: string;
  readonly hold_until: string | null;
  readonly unconfirmed: boolean;
  readonly reason: string;
}

export interface SaleBody extends Tracked {
  readonly sale_id: number;
  readonly commission_id: number;
  readonly is_recurring: boolean;
  readonly attributed: boolean;
  readonly partner_code: string;
  readonly source: string;
  readonly reason: string;
  readonly click_age_days: number;
  readonly window_days: number;
  readonly commission: CommissionBody;
}

export interface RefundBody extends Tracked {
  readonly sale_id: number;
  readonly commission_id: number;
  readonly status: string;
  readonly reason: string;
  readonly refund_id: string;
  readonly refunded_cents: number;
  readonly refunded_total_cents: number;
  readonly commission_reversed_cents: number;
  readonly commission_amount_cents: number;
}

/** A caller of the service. Every reply is checked against the OpenAPI documents. */
export interface Api {
  readonly url: string;
  readonly ip: string;
  click(body: Json, options?: CallOptions): Promise<Reply<ClickBody>>;
  lead(body: Json, options?: CallOptions): Promise<Reply<LeadBody>>;
  sale(body: Json, options?: CallOptions): Promise<Reply<SaleBody>>;
  refund(body: Json, options?: CallOptions): Promise<Reply<RefundBody>>;
  readiness(options?: CallOptions): Promise<Reply>;
  verification(options?: CallOptions): Promise<Reply>;
  request<Body = JsonObject>(method: string, path: string, options?: RequestOptions): Promise<Reply<Body>>;
}

export const browserHeaders = {
  "sec-fetch-site": "cross-site",
  origin: "https://shop.example",
  referer: "https://shop.example/",
  "user-agent":
    "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36",
} as const;

/** Returns a unique address, so that callers share no rate limit. */
export const uniqueIp = (): string => [randomInt(1, 224), randomInt(256), randomInt(256), randomInt(1, 255)].join(".");

/** Returns the first 48 bits of a unique IPv6 network. */
export const uniqueSite = (): string => `fd${randomBytes(5).toString("hex")}`.replace(/.{4}(?!$)/g, "$&:");

const insistence = new AsyncLocalStorage<true>();

/**
 * Sends calls. If a call gets a 503, waits as long as Retry-After says and retries, as the SDK does, because a slow
 * machine may not serve many dependent calls in time.
 */
export const insist = <T>(send: () => Promise<T>): Promise<T> => insistence.run(true, send);

export function createApi(url: string, ip = uniqueIp()): Api {
  const request = async <Body>(method: string, path: string, options?: RequestOptions): Promise<Reply<Body>> => {
    for (;;) {
      const reply = await requestOnce<Body>(method, path, options);
      if (reply.status !== 503 || !insistence.getStore()) return reply;
      await delay(Number(reply.headers.get("retry-after")) * 1_000);
    }
  };
  const requestOnce = async <Body>(
    method: string,
    path: string,
    options: RequestOptions = {},
  ): Promise<Reply<Body>> => {
    const { body, checked = true } = options;
    const { status, headers, text } = await send(url + path, {
      method,
      headers: Object.fromEntries(headersOf(options, ip)),
      body: body === undefined || typeof body === "string" ? body : JSON.stringify(body),
      signal: options.signal,
    });
    const parsed = parse(text);
    if (checked) {
      const type = headers.get("content-type")?.replace(/;.*$/, "").trim();
      replyChecker()({ method, path, status, type, text, body: parsed });
    }
    return { status, headers, text, body: parsed as Body & Refused };
  };
  return {
    url,
    ip,
    click: (body, options) => request<ClickBody>("POST", "/api/v1/track/click", { ...options, body }),
    lead: (body, options) => request<LeadBody>("POST", "/api/v1/track/lead", { ...options, body }),
    sale: (body, options) => request<SaleBody>("POST", "/api/v1/track/sale", { ...options, body }),
    refund: (body, options) => request<RefundBody>("POST", "/api/v1/track/refund", { ...options, body }),
    readiness: (options) => request("GET", "/api/v1/programs/me/readiness", options),
    verification: (options) => request("POST", "/api/v1/programs/me/verification", { body: {}, ...options }),
    request,
  };
}

function headersOf(options: RequestOptions, ip: string): Headers {
  const headers = new Headers({ "cf-connecting-ip": options.ip ?? ip });
  if (options.body !== undefined) headers.set("content-type", "application/json");
  if (options.key !== undefined) headers.set("authorization", `Bearer ${options.key}`);
  for (const [name, value] of Object.entries(options.browser ? browserHeaders : {})) headers.set(name, value);
  for (const [name, value] of Object.entries(options.headers ?? {})) {
    if (value === undefined) headers.delete(name);
    else headers.set(name, value);
  }
  return headers;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
