import { isObject } from "./fields.ts";
import type { Failure, FailureReason, Success } from "./results.ts";

/** What is needed of an `AbortSignal`. */
export interface Abortable {
  readonly aborted: boolean;
  addEventListener(type: "abort", listener: () => void): void;
  removeEventListener(type: "abort", listener: () => void): void;
}

/** The runtime's own `AbortSignal`, where its types are known. */
type Signal = typeof globalThis extends { AbortSignal: { prototype: infer Known } } ? Known : Abortable;

/** What is needed of a `fetch`. */
export type FetchLike = (
  url: string,
  init: { method: string; headers: Record<string, string>; body?: string; redirect: "manual"; signal: Signal },
) => Promise<{
  readonly status: number;
  readonly headers: { get(name: string): string | null };
  text(): Promise<string>;
}>;

export interface Transport {
  /** Without a slash at the end. */
  readonly base: string;
  readonly apiKey: string;
  readonly fetch: FetchLike;
  /** Waits before a further attempt. */
  readonly pause: (ms: number, signal: Abortable | undefined) => Promise<unknown>;
  /** Hears of a key that must be replaced. */
  readonly onNotice: (message: string) => void;
}

export interface Call<Data> {
  readonly path: string;
  /** Absent: GET. */
  readonly body?: string;
  readonly isKeyed: boolean;
  /** Whether an answer, its names in camelCase, has what this call promises. */
  readonly isAnswer: (answer: Answer) => answer is Answer & Data;
  /** Attempts beyond the first. */
  readonly retries: number;
  readonly timeoutMs: number;
  readonly signal: Abortable | undefined;
}

export type Answer = Readonly<Record<string, unknown>>;
type Reply<Data> = Success<Data> | Failure;

const firstPauseMs = 250;
/** Who is told to wait for longer is better served by an answer now. */
const maxPauseMs = 5_000;

/** Sends a call, again after a fault that may pass, and resolves with what came of it. Never rejects. */
export async function send<Data>(transport: Transport, call: Call<Data>): Promise<Reply<Data>> {
  for (let attempt = 0; ; attempt += 1) {
    const reply = await once(transport, call);
    if (reply.ok || !reply.retryable || attempt >= call.retries || call.signal?.aborted) return reply;
    const pauseMs = Math.max(
      firstPauseMs * 2 ** attempt * (0.5 + Math.random() / 2),
      (reply.error.retryAfterSeconds ?? 0) * 1_000,
    );
    if (pauseMs > maxPauseMs) return reply;
    await transport.pause(pauseMs, call.signal);
  }
}

async function once<Data>(transport: Transport, call: Call<Data>): Promise<Reply<Data>> {
  const { base, apiKey, fetch } = transport;
  const { path, body, isKeyed, timeoutMs, signal } = call;
  const controller = new AbortController();
  const exchange = async () => {
    const response = await fetch(base + path, {
      method: body === undefined ? "GET" : "POST",
      headers: {
        accept: "application/json",
        ...(body !== undefined && { "content-type": "application/json" }),
        ...(isKeyed && { authorization: `Bearer ${apiKey}` }),
      },
      ...(body !== undefined && { body }),
      // A redirect would turn the call into a GET, or carry the key elsewhere.
      redirect: "manual",
      signal: controller.signal,
    });
    return { response, text: await response.text() };
  };
  try {
    const done = signal?.aborted ? "aborted" : await within(exchange(), timeoutMs, signal);
    if (done === "aborted") return failed(0, "AbortError", "The caller ended the call. It is safe to send it again.");
    if (done === "late") {
      const message = `No answer from ${base} within ${timeoutMs} ms. It is safe to send the call again.`;
      return failed(0, "TimeoutError", message);
    }
    return replyOf(transport, call, done.response, done.text);
  } catch (error) {
    const { message, cause } = error instanceof Error ? error : new Error(String(error));
    const why = cause instanceof Error ? `${message}: ${cause.message}` : message;
    const text = `${base} can't be reached, or the answer broke off (${why}). It is safe to send the call again.`;
    return failed(0, "NetworkError", text.replaceAll(apiKey, "<key>"));
  } finally {
    controller.abort();
  }
}

/** The work's outcome, or that it took too long, or that the caller ended it: whichever comes first. */
export function within<T>(
  work: Promise<T>,
  ms: number,
  signal: Abortable | undefined,
): Promise<T | "late" | "aborted"> {
  return new Promise((resolve, reject) => {
    const end = (settle: () => void) => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", abort);
      settle();
    };
    const abort = () => end(() => resolve("aborted"));
    const timer = setTimeout(() => end(() => resolve("late")), ms);
    signal?.addEventListener("abort", abort);
    work.then(
      (value) => end(() => resolve(value)),
      (error: unknown) => end(() => reject(error)),
    );
  });
}

type Response = Awaited<ReturnType<FetchLike>>;

function replyOf<Data>(
  { base, onNotice }: Transport,
  { isAnswer }: Call<Data>,
  { status, headers }: Response,
  text: string,
): Reply<Data> {
  const { warnings, ...answer } = parse(text);
  for (const notice of Array.isArray(warnings) ? warnings : []) onNotice(`${notice?.message} ${notice?.hint}`);
  if (status === 200 && isAnswer(answer)) return { ok: true, status, error: null, data: answer };
  if (status === 200 && answer.success === false) {
    return failed(status, "InactiveLinkError", String(answer.message), false);
  }
  const more = { requestId: headers.get("x-request-id"), retryAfterSeconds: secondsOf(headers.get("retry-after")) };
  const mayPass = status < 300 || status === 408 || status === 429 || status >= 500;
  if (status >= 400 && isObject(answer.error) && typeof answer.error.message === "string") {
    const { name, code, message, hint, details, ...rest } = answer.error;
    const said = hint === undefined ? message : `${message} ${hint}`;
    return failed(status, String(name ?? code), said, mayPass, {
      ...more,
      details: isObject(details) ? details : rest,
    });
  }
  const what = headers.get("location") ?? headers.get("content-type") ?? "no content type";
  const message = `${base} did not answer as Tributary does (status ${status}, ${what}). Is baseUrl right?`;
  return failed(status, "UnreadableAnswerError", message, mayPass, more);
}

function failed(
  status: number,
  name: string,
  message: string,
  retryable = true,
  more: Partial<FailureReason> = {},
): Failure {
  const error = { name, message, details: {}, requestId: null, retryAfterSeconds: null, ...more };
  return { ok: false, status, error, data: null, retryable };
}

/** Seconds, or an HTTP date. */
function secondsOf(retryAfter: string | null): number | null {
  if (retryAfter === null) return null;
  const seconds = /^\d+$/.test(retryAfter) ? Number(retryAfter) : (Date.parse(retryAfter) - Date.now()) / 1_000;
  return Number.isNaN(seconds) ? null : Math.max(0, Math.ceil(seconds));
}

/** An answer; an empty one where the text holds none. */
function parse(text: string): Answer {
  try {
    const value = camel(JSON.parse(text));
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}

/** The same value, with its names in camelCase. */
function camel(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(camel);
  if (!isObject(value)) return value;
  const named = Object.entries(value).map(([name, member]) => [
    name.replace(/_([a-z0-9])/g, (_, next: string) => next.toUpperCase()),
    camel(member),
  ]);
  return Object.fromEntries(named);
}
