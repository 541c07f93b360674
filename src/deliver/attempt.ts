export interface Clock {
  now(): number;
}

const timeoutMs = 20_000;
const maxReadBytes = 64 * 1_024;
const maxKept = 1_000;

export interface Attempt {
  readonly isDelivered: boolean;
  /** HTTP status. Undefined if there was no response. */
  readonly status: number | undefined;
  readonly durationMs: number;
  /** The beginning of the response body, or why there was no response. */
  readonly response: string;
  readonly retryAfterMs: number | undefined;
  /** True if the service's own mailer has reported that further attempts would fail too. */
  readonly isFinal: boolean;
}

export const finalHeader = "tributary-final";

export interface Receiver {
  readonly url: string;
  /** Defaults to `fetch`. */
  readonly fetcher: Pick<Fetcher, "fetch"> | undefined;
}

/**
 * Posts a body once. It is delivered if the response is 2xx within 20 seconds. Doesn't follow redirects. Never rejects.
 */
export async function attempt(
  { url, fetcher }: Receiver,
  { body, headers }: { readonly body: string; readonly headers: Readonly<Record<string, string>> },
  clock: Clock,
): Promise<Attempt> {
  const startedAt = clock.now();
  const signal = AbortSignal.timeout(timeoutMs);
  const sent = { "content-type": "application/json", "user-agent": "Tributary", ...headers };
  try {
    const call = { method: "POST", headers: sent, body, redirect: "manual", signal } as const;
    const answer = await (fetcher === undefined ? fetch(url, call) : fetcher.fetch(url, call));
    const response = withoutCutPair(await beginningOf(answer));
    const { ok: isDelivered, status } = answer;
    const isFinal = answer.headers.has(finalHeader);
    const retryAfterMs = retryAfterOf(answer.headers.get("retry-after"), clock.now());
    return { isDelivered, status, durationMs: clock.now() - startedAt, response, retryAfterMs, isFinal };
  } catch (error) {
    const response = causeOf(error).slice(0, maxKept);
    const durationMs = clock.now() - startedAt;
    return { isDelivered: false, status: undefined, durationMs, response, retryAfterMs: undefined, isFinal: false };
  }
}

/** In workerd, a forbidden address, an unknown host and a TLS error all have the same message. */
const unsaid = "could not connect: there is no such host, its address is not allowed, or TLS failed";

function causeOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.name === "TimeoutError") return `no answer within ${timeoutMs / 1_000} seconds`;
  return error.message.startsWith("internal error") ? unsaid : error.message;
}

/** Reads the response up to the limit. If the connection breaks off, what arrived counts as the response. */
async function beginningOf({ body }: Response): Promise<string> {
  if (body === null) return "";
  const decoder = new TextDecoder();
  const reader: ReadableStreamDefaultReader<Uint8Array> = body.getReader();
  let text = "";
  try {
    for (let read = 0; read < maxReadBytes; ) {
      const { done, value } = await reader.read();
      if (done) return text;
      read += value.length;
      if (text.length < maxKept) text = (text + decoder.decode(value, { stream: true })).slice(0, maxKept);
    }
    await reader.cancel();
  } catch {}
  return text;
}

/** Removes half of a surrogate pair, which a cut at the limit may leave. */
const withoutCutPair = (text: string): string => text.replace(/[\ud800-\udbff]$/, "");

/** Parses `Retry-After`, which has seconds or a date: RFC 9110, section 10.2.3. */
function retryAfterOf(text: string | null, now: number): number | undefined {
  if (text === null) return undefined;
  const ms = /^\d+$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - now;
  return ms > 0 ? ms : undefined;
}
