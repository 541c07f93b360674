import { isObject } from "./fields.ts";
import type { Failure, Success, Warning } from "./results.ts";

/** What the runtime's own `fetch` takes, where its types are known. */
type KnownInit = typeof globalThis extends { fetch(url: string, init?: infer Init): unknown } ? Init : object;
type Signal = KnownInit extends { signal?: infer Known } | undefined ? NonNullable<Known> : object;

/** What is needed of a `fetch`. */
export type FetchLike = (
  url: string,
  init: { method: string; headers: Record<string, string>; body: string | null; redirect: "manual"; signal: Signal },
) => Promise<{
  readonly status: number;
  readonly headers: { get(name: string): string | null };
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
  readonly warn: (code: Warning["code"], message: string) => void;
}

type Answer = Readonly<Record<string, unknown>>;
type Reply<Data> = Success<Data> | Failure;

const firstPauseMs = 125;
/** Who is told to wait for longer is better served by an answer now. */
const maxPauseMs = 5_000;

/** Sends a call, again after a fault that may pass, and resolves with what came of it. Never rejects. */
export async function send<Data>(call: Call<Data>): Promise<Reply<Data>> {
  for (let attempt = 0; ; attempt += 1) {
    const reply = await once(call);
    if (reply.ok || !reply.retryable || attempt >= call.retries) return reply;
    const backoffMs = firstPauseMs * 2 ** attempt * (1 + Math.random());
    const pauseMs = Math.max(backoffMs, (reply.error.retryAfterSeconds ?? 0) * 1_000);
    if (pauseMs > maxPauseMs) return reply;
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}

async function once<Data>(call: Call<Data>): Promise<Reply<Data>> {
  const { url, apiKey, fetch, body, timeoutMs } = call;
  const controller = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  try {
    const answered = fetch(url, {
      method: body === null ? "GET" : "POST",
      headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
      body,
      // Followed, a redirect would turn the call into a GET, or carry the key elsewhere.
      redirect: "manual",
      signal: controller.signal,
    }).then(async (response) => replyOf(call, response, await response.text()));
    // Beside the signal, which somebody's own fetch may not heed.
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error(`no answer within ${timeoutMs} ms`)), timeoutMs);
    });
    return await Promise.race([answered, late]);
  } catch (error) {
    const { message = error, cause } = Object(error);
    const why = cause ? `${message}: ${cause.message}` : message;
    const said = `${url}: ${why}. It can be sent again.`.replaceAll(apiKey, "<key>");
    return failed(0, { name: "NetworkError", message: said });
  } finally {
    clearTimeout(timer);
    controller.abort();
  }
}

type Response = Awaited<ReturnType<FetchLike>>;

function replyOf<Data>({ url, member, warn }: Call<Data>, { status, headers }: Response, text: string): Reply<Data> {
  const { warnings, ...answer } = parse(text);
  for (const warning of [warnings].flat())
    if (isObject(warning)) warn("api_key_rotation_required", String(warning.message));
  if (status === 200 && hasMember<Data>(answer, member)) return { ok: true, status, error: null, data: answer };
  const origin = headers.get("location") ?? headers.get("content-type");
  const unreadable = {
    name: "UnreadableAnswerError",
    message: `${url}: no answer of Tributary (${status}, ${origin}). Check baseUrl.`,
  };
  const said =
    answer.success === false
      ? { name: inactive, ...answer }
      : isObject(answer.error) && answer.error.message
        ? answer.error
        : unreadable;
  return failed(status, said, headers);
}

/** Said of a click on a link that is inactive: there is nothing to record, now or later. */
const inactive = "InactiveLinkError";

function failed(status: number, said: Answer, headers?: Response["headers"]): Failure {
  const name = String(said.name ?? said.code);
  const error = {
    name,
    message: String(said.message),
    details: (said.details ?? said) as Answer,
    requestId: headers?.get("x-request-id") ?? null,
    retryAfterSeconds: secondsOf(headers?.get("retry-after")),
  };
  const retryable = name !== inactive && (status < 300 || status === 429 || status >= 500);
  return { ok: false, status, error, data: null, retryable };
}

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
