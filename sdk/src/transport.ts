import { version } from "../package.json";
import type { Failure, RepeatedSale, Success, Warning } from "./results.ts";

/** What the runtime's own `fetch` takes, where its types are known. */
type KnownInit = typeof globalThis extends { fetch(url: string, init?: infer Init): unknown } ? Init : object;
/** The runtime's `AbortSignal`, where its types are known. */
export type Signal = KnownInit extends { signal?: infer Known } | undefined ? NonNullable<Known> : object;

/** What is needed of a `fetch`. */
export type FetchLike = (
  url: string,
  init: { method: string; headers: Record<string, string>; body: string | null; redirect: "manual"; signal: Signal },
) => Promise<{
  readonly status: number;
  readonly headers: { get(name: string): string | null };
  /** Read up to 256 KiB if it is an async iterable of bytes; otherwise `text` is called. */
  readonly body?: unknown;
  text(): Promise<string>;
}>;

/** An answer that says the call is recorded. */
export type Answered = Success<object> | RepeatedSale;

export interface Call<Known extends Answered> {
  readonly url: string;
  readonly apiKey: string;
  readonly fetch: FetchLike;
  /** Null: GET. */
  readonly body: string | null;
  /** What an answer to this call is known by. */
  readonly member: keyof Known["data"] & string;
  /** Attempts beyond the first. */
  readonly retries: number;
  readonly timeoutMs: number;
  readonly signal?: Signal | undefined;
  readonly warn: (code: Warning["code"], message: string) => void;
}

type Answer = Readonly<Record<string, unknown>>;

/** Sends a call, again after a fault that may pass, and resolves with what came of it. Never rejects. */
export async function send<Known extends Answered>(call: Call<Known>, attempt = 0): Promise<Known | Failure> {
  const reply = await attemptOnce(call);
  if (reply.ok || !reply.retryable || !isTransient(reply.status)) return reply;
  const pauseMs = Math.max(125 * 2 ** attempt * (1 + Math.random()), Number(reply.error.retryAfterSeconds) * 1_000);
  // Who is told to wait for longer is better served by an answer now.
  if (attempt >= call.retries || pauseMs > 5_000 || call.signal?.aborted) return reply;
  return within<never>(pauseMs, call.signal).catch(() => send(call, attempt + 1));
}

/** Rejects with the reason after `ms`, or when the outer signal is aborted; either ends the work's own signal. */
function within<T>(ms: number, outer: Signal | undefined, work?: (signal: Signal) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  const { signal } = controller;
  let timer: ReturnType<typeof setTimeout> | undefined;
  // Beside the signal, which somebody's own fetch may not heed.
  return new Promise<T>((resolve, reject) => {
    const abort = () => reject("aborted");
    if (outer?.aborted) return abort();
    timer = setTimeout(reject, ms, `no answer within ${ms} ms`);
    outer?.addEventListener("abort", abort, { signal });
    work?.(signal).then(resolve, reject);
  }).finally(() => {
    clearTimeout(timer);
    controller.abort();
  });
}

function attemptOnce<Known extends Answered>(call: Call<Known>): Promise<Known | Failure> {
  const { url, apiKey, fetch, body } = call;
  const work = async (signal: Signal) => {
    const response = await fetch(url, {
      method: body ? "POST" : "GET",
      headers: {
        authorization: `Bearer ${apiKey}`,
        "content-type": "application/json",
        "user-agent": `tributary-sdk/${version}`,
      },
      body,
      // Followed, a redirect would turn the call into a GET, or carry the key elsewhere.
      redirect: "manual",
      signal,
    });
    return replyOf(call, response);
  };
  return within(call.timeoutMs, call.signal, work).catch((error: unknown) => {
    const { message = error, cause } = Object(error);
    const why = cause ? `${message}: ${cause.message}` : String(message);
    return failed(0, { name: "NetworkError", message: `${url}: ${why}`.replaceAll(apiKey, "<key>") }, true);
  });
}

type Response = Awaited<ReturnType<FetchLike>>;

/** An answer, its names in camelCase: cut where it is too long to be the service's, and empty where it isn't JSON. */
async function answerOf(response: Response, apiKey: string): Promise<Answer> {
  const body = response.body as AsyncIterable<Uint8Array> | null | undefined;
  const decoder = new TextDecoder();
  let text = "";
  if (body?.[Symbol.asyncIterator]) {
    for await (const bytes of body) {
      text += decoder.decode(bytes, { stream: true });
      if (text.length > 2 ** 18) break;
    }
  } else text = await response.text();
  try {
    // In JSON, a word before a quote and a colon is in a name: a quote within a string has a backslash before it.
    return Object(
      JSON.parse(
        text.replaceAll(apiKey, "<key>").replace(/_(\w)(?=\w{0,99}"\s*:)/g, (_, next: string) => next.toUpperCase()),
      ),
    );
  } catch {
    return {};
  }
}

async function replyOf<Known extends Answered>(
  { url, apiKey, member, warn }: Call<Known>,
  response: Response,
): Promise<Known | Failure> {
  const { status, headers } = response;
  const { warnings, ...answer } = await answerOf(response, apiKey);
  for (const { message } of [warnings].flat().map(Object)) if (message) warn("api_key_rotation_required", message);
  const error: Answer = Object(answer.error);
  const details: Answer = Object(error.details);
  // A repeated sale is refused with the first call's.
  const isRepeat = status === 409 && !!details.differences;
  const data = isRepeat ? details : answer;
  const reply = {
    ok: true,
    status,
    error: null,
    data,
    requestId: headers.get("x-request-id"),
    duplicate: isRepeat || undefined,
  };
  if ((isRepeat || status === 200) && isKnown<Known>(reply, member)) return reply;
  const isRefusal = error.status === status;
  const isWrongPath = status === 405 || error.message === "Not found";
  // A 404 of a right path is a refund ahead of its sale.
  if (isRefusal && !isWrongPath) return failed(status, error, status === 404 || isTransient(status), headers);
  if (status === 200 && answer.success === false) {
    return failed(status, { name: "InactiveLinkError", ...answer }, false, headers);
  }
  const origin = headers.get("location") ?? headers.get("content-type");
  const fault = isRefusal ? error.message : `no answer of Tributary (${status}, ${origin})`;
  return failed(
    status,
    { name: "UnreadableAnswerError", ...(isRefusal && error), message: `${url}: ${fault}. Check baseUrl.` },
    true,
    headers,
  );
}

const isKnown = <Known extends Answered>(
  reply: { readonly data: Answer },
  member: string,
): reply is { readonly data: Answer } & Known => reply.data[member] != null;

function failed(status: number, reason: Answer, retryable: boolean, headers?: Response["headers"]): Failure {
  const { code, name = code, message, details = reason } = reason;
  const retryAfter = headers?.get("retry-after");
  const seconds = Number(retryAfter) || (Date.parse(retryAfter ?? "") - Date.now()) / 1_000;
  const error = {
    name: name as string,
    message: String(message),
    details: Object(details),
    retryAfterSeconds: seconds > 0 ? Math.ceil(seconds) : null,
  };
  return { ok: false, status, error, data: null, requestId: headers?.get("x-request-id") ?? null, retryable };
}

/** Likely to be over within seconds. */
const isTransient = (status: number): boolean => status < 300 || status === 429 || status >= 500;
