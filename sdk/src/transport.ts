import { version } from "../package.json";
import { inCamelCase } from "./names.ts";
import type { Failure, RepeatedSale, Success, Warning } from "./results.ts";

/** The type of the options of the runtime's own `fetch`, if it is known. */
type KnownInit = typeof globalThis extends { fetch(url: string, init?: infer Init): unknown } ? Init : object;
/** The type of the runtime's `AbortSignal`, if it is known. */
export type Signal = KnownInit extends { signal?: infer Known } | undefined ? NonNullable<Known> : object;

/** The part of `fetch` that the client uses. */
export type FetchLike = (
  url: string,
  init: { method: string; headers: Record<string, string>; body: string | null; redirect: "manual"; signal: Signal },
) => Promise<{
  readonly status: number;
  readonly headers: { get(name: string): string | null };
  /**
   * If the body is an async iterable of bytes, the client reads up to 256 KiB of it, of a page of sales up to 1 MiB,
   * and of a page of events up to 32 MiB. Otherwise it calls `text`.
   */
  readonly body?: unknown;
  text(): Promise<string>;
}>;

/** A response that confirms that the call is recorded. */
export type Answered = Success<object> | RepeatedSale;

export interface Call<Known extends Answered> {
  readonly url: string;
  readonly apiKey: string;
  readonly fetch: FetchLike;
  /** The method. Default, for events and checks: POST with a body, GET without one. */
  readonly method?: string;
  readonly body: string | null;
  /** The field that identifies a valid response to this call. */
  readonly member: keyof Known["data"] & string;
  /** The number of attempts after the first. */
  readonly retries: number;
  readonly timeoutMs: number;
  readonly signal?: Signal | undefined;
  /** Maximum length of a response, in characters. */
  readonly maxLength?: number;
  readonly warn: (code: Warning["code"], message: string) => void;
}

type Answer = Readonly<Record<string, unknown>>;

/** Sends a call, retries it after temporary failures, and resolves to the result. Never rejects. */
export async function send<Known extends Answered>(call: Call<Known>, attempt = 0): Promise<Known | Failure> {
  const reply = await attemptOnce(call);
  if (reply.ok || !reply.retryable || !isTransient(reply.status)) return reply;
  const pauseMs = Math.max(125 * 2 ** attempt * (1 + Math.random()), Number(reply.error.retryAfterSeconds) * 1_000);
  // If the pause is longer, the caller gets the result now instead of waiting.
  if (attempt >= call.retries || pauseMs > 5_000) return reply;
  return within<never>(pauseMs, call.signal).catch(() => send(call, attempt + 1));
}

/** Rejects after `ms`, or when the outer signal is aborted; both also abort the signal of `work`. */
function within<T>(ms: number, outer: Signal | undefined, work?: (signal: Signal) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  const { signal } = controller;
  let timer: ReturnType<typeof setTimeout> | undefined;
  // The promise rejects even if a custom fetch ignores the signal.
  return new Promise<T>((resolve, reject) => {
    const abort = () => reject("aborted");
    if (outer?.aborted) return abort();
    timer = setTimeout(reject, ms, `no answer in ${ms} ms`);
    outer?.addEventListener("abort", abort, { signal });
    work?.(signal).then(resolve, reject);
  }).finally(() => {
    clearTimeout(timer);
    controller.abort();
  });
}

function attemptOnce<Known extends Answered>(call: Call<Known>): Promise<Known | Failure> {
  const { url, apiKey, fetch, body, method = body ? "POST" : "GET" } = call;
  const work = async (signal: Signal) => {
    const response = await fetch(url, {
      method,
      headers: {
        authorization: `Bearer ${apiKey}`,
        "content-type": "application/json",
        "user-agent": `tributary-sdk/${version}`,
      },
      body,
      // Following a redirect would turn the call into a GET, or send the key elsewhere.
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

/**
 * Returns the response with names in camelCase. A response that is too long to be the service's is cut off. A response
 * that isn't JSON gives an empty object.
 */
async function answerOf(
  response: Response,
  { apiKey, maxLength = 2 ** 18 }: Pick<Call<Answered>, "apiKey" | "maxLength">,
): Promise<Answer> {
  const body = response.body as AsyncIterable<Uint8Array> | null | undefined;
  const decoder = new TextDecoder();
  let text = "";
  if (body?.[Symbol.asyncIterator]) {
    for await (const bytes of body) {
      text += decoder.decode(bytes, { stream: true });
      if (text.length > maxLength) break;
    }
  } else text = await response.text();
  try {
    return Object(JSON.parse(inCamelCase(text.replaceAll(apiKey, "<key>"))));
  } catch {
    return {};
  }
}

async function replyOf<Known extends Answered>(call: Call<Known>, response: Response): Promise<Known | Failure> {
  const { url, member, method, warn } = call;
  const { status, headers } = response;
  const { warnings, ...answer } = await answerOf(response, call);
  for (const { message } of [warnings].flat().map(Object)) if (message) warn("api_key_rotation_required", message);
  const error: Answer = Object(answer.error);
  const details: Answer = Object(error.details);
  // A repeated sale is refused with the data of the recorded sale.
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
  if ((isRepeat || status < 202) && data[member] !== undefined) return reply as unknown as Known;
  const isRefusal = error.status === status;
  const isWrongPath = status === 405 || error.message === "Not found";
  // A 404 on an event's path means that a refund arrived before its sale.
  if (isRefusal && !isWrongPath)
    return failed(status, error, (status === 404 && !method) || isTransient(status), headers);
  if (status === 200 && answer.success === false) {
    return failed(status, { name: "InactiveLinkError", ...answer }, false, headers);
  }
  const origin = headers.get("location") ?? headers.get("content-type");
  const fault = isRefusal ? error.message : `no answer from Tributary (${status}, ${origin})`;
  return failed(
    status,
    { name: "UnreadableAnswerError", ...(isRefusal && error), message: `${url}: ${fault}. Check baseUrl.` },
    true,
    headers,
  );
}

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

/** True if the failure is likely to end within seconds. */
const isTransient = (status: number): boolean => status < 300 || status === 429 || status >= 500;
