import { version } from "../package.json";
import { isObject } from "./fields.ts";
import type { Failure, Success, Warning } from "./results.ts";

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

export interface Call<Data> {
  readonly url: string;
  readonly apiKey: string;
  readonly fetch: FetchLike;
  /** Null: GET. */
  readonly body: string | null;
  /** What an answer to this call is known by. */
  readonly member: keyof Data & string;
  /** Attempts beyond the first. */
  readonly retries: number;
  readonly timeoutMs: number;
  readonly signal?: Signal | undefined;
  readonly warn: (code: Warning["code"], message: string) => void;
}

type Answer = Readonly<Record<string, unknown>>;
type Reply<Data> = Success<Data> | Failure;

const firstPauseMs = 125;
/** Who is told to wait for longer is better served by an answer now. */
const maxPauseMs = 5_000;
const maxAnswerLength = 262_144;

/** Sends a call, again after a fault that may pass, and resolves with what came of it. Never rejects. */
export async function send<Data>(call: Call<Data>): Promise<Reply<Data>> {
  const { retries, signal } = call;
  for (let attempt = 0; ; attempt += 1) {
    const reply = await attemptOnce(call);
    if (reply.ok || !reply.retryable || !isTransient(reply.status)) return reply;
    const backoffMs = firstPauseMs * 2 ** attempt * (1 + Math.random());
    const pauseMs = Math.max(backoffMs, (reply.error.retryAfterSeconds ?? 0) * 1_000);
    if (attempt >= retries || pauseMs > maxPauseMs || signal?.aborted) return reply;
    await within(pauseMs, signal, () => new Promise(() => {})).catch(() => {});
  }
}

/** Rejects after `ms`, or when the outer signal is aborted; either ends the work's own signal. */
async function within<T>(ms: number, outer: Signal | undefined, work: (signal: Signal) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  const { signal } = controller;
  let timer: ReturnType<typeof setTimeout> | undefined;
  try {
    // Beside the signal, which somebody's own fetch may not heed.
    return await new Promise<T>((resolve, reject) => {
      const end = (why: string) => reject(new Error(why));
      if (outer?.aborted) return end("aborted");
      timer = setTimeout(end, ms, `no answer within ${ms} ms`);
      outer?.addEventListener("abort", () => end("aborted"), { signal });
      work(signal).then(resolve, reject);
    });
  } finally {
    clearTimeout(timer);
    controller.abort();
  }
}

async function attemptOnce<Data>(call: Call<Data>): Promise<Reply<Data>> {
  const { url, apiKey, fetch, body, timeoutMs } = call;
  try {
    return await within(timeoutMs, call.signal, async (signal) => {
      const response = await fetch(url, {
        method: body === null ? "GET" : "POST",
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
      return replyOf(call, response, await textOf(response));
    });
  } catch (error) {
    const { message = error, cause } = Object(error);
    const why = cause ? `${message}: ${cause.message}` : message;
    const text = `${url}: ${why}. It can be sent again.`.replaceAll(apiKey, "<key>");
    return failed(0, { name: "NetworkError", message: text }, true);
  }
}

type Response = Awaited<ReturnType<FetchLike>>;

/** Cut where it is too long to be the service's. */
async function textOf(response: Response): Promise<string> {
  const body = response.body as AsyncIterable<Uint8Array> | null | undefined;
  if (!body?.[Symbol.asyncIterator]) return response.text();
  const decoder = new TextDecoder();
  let text = "";
  for await (const bytes of body) {
    text += decoder.decode(bytes, { stream: true });
    if (text.length > maxAnswerLength) break;
  }
  return text;
}

function replyOf<Data>({ url, member, warn }: Call<Data>, { status, headers }: Response, text: string): Reply<Data> {
  const { warnings, ...answer } = parse(text);
  for (const warning of [warnings].flat())
    if (isObject(warning)) warn("api_key_rotation_required", String(warning.message));
  if (status === 200 && hasMember<Data>(answer, member)) {
    return { ok: true, status, error: null, data: answer, requestId: headers.get("x-request-id") };
  }
  const error: Answer = Object(answer.error);
  if (error.status === status) {
    const isWrongPath = status === 405 || error.message === "Not found";
    const reason = isWrongPath ? { ...error, message: `${url}: ${error.message}. Check baseUrl.` } : error;
    // Any other 404 is a refund ahead of its sale.
    return failed(status, reason, isWrongPath || status === 404 || isTransient(status), headers);
  }
  if (status === 200 && answer.success === false) {
    return failed(status, { name: "InactiveLinkError", ...answer }, false, headers);
  }
  const origin = headers.get("location") ?? headers.get("content-type");
  const message = `${url}: no answer of Tributary (${status}, ${origin}). Check baseUrl.`;
  return failed(status, { name: "UnreadableAnswerError", message }, true, headers);
}

function failed(status: number, reason: Answer, retryable: boolean, headers?: Response["headers"]): Failure {
  const { name, code, message, details = reason } = reason;
  const error = {
    name: String(name ?? code),
    message: String(message),
    details: details as Answer,
    retryAfterSeconds: secondsOf(headers?.get("retry-after")),
  };
  return { ok: false, status, error, data: null, requestId: headers?.get("x-request-id") ?? null, retryable };
}

/** Likely to be over within seconds. */
const isTransient = (status: number): boolean => status < 300 || status === 429 || status >= 500;

export const hasMember = <Data>(answer: Answer, member: keyof Data & string): answer is Answer & Data =>
  answer[member] != null;

/** Of a number of seconds, or an HTTP date. */
function secondsOf(retryAfter: string | null | undefined): number | null {
  const seconds = Number(retryAfter) || (Date.parse(String(retryAfter)) - Date.now()) / 1_000;
  return seconds > 0 ? Math.ceil(seconds) : null;
}

/** An answer, its names in camelCase; an empty one where the text holds none. */
function parse(text: string): Answer {
  try {
    // In JSON, a word in quotes before a colon is a name: a quote within a string has a backslash before it.
    const answer: unknown = JSON.parse(text.replace(/"\w+"(?=\s*:)/g, camelCase));
    return isObject(answer) ? answer : {};
  } catch {
    return {};
  }
}

const camelCase = (name: string): string => name.replace(/_(\w)/g, (_, next: string) => next.toUpperCase());
