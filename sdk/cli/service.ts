import { isObject, webUrl } from "../src/fields.ts";
import { isSecure } from "../src/secure.ts";
import { UsageError } from "./flags.ts";
import { hide, type Output } from "./output.ts";

export type Members = Readonly<Record<string, unknown>>;

export interface Answer {
  readonly isReached: true;
  readonly status: number;
  /** As the service sent it. */
  readonly body: Members;
  /** Null: the service asked for no pause. */
  readonly retryAfterSeconds: number | null;
}

/** An answer of Tributary's, or why there is none. */
export type Reply = Answer | { readonly isReached: false; readonly message: string };

export interface Service {
  /** Where it is, with a slash at the end. */
  readonly url: string;
  /** That of the key. */
  readonly programId: number;
  /** Sends once. Never rejects. */
  get(path: string): Promise<Reply>;
  post(path: string, body: Members): Promise<Reply>;
}

const timeoutMs = 15_000;

/** The service that flags or environment name, with the key of the environment. Throws a `UsageError`. */
export function connect(flags: { url?: string | undefined }, output: Output): Service {
  const key = process.env.TRIBUTARY_API_KEY ?? "";
  const address = flags.url ?? process.env.TRIBUTARY_URL ?? "";
  if (key !== "") hide(key);
  // Keys are `svc_<program id in base 36>_…`.
  const programId = Number.parseInt(/^svc_([0-9a-z]+)_[\w-]+$/.exec(key)?.[1] ?? "", 36);
  if (!(programId > 0)) {
    throw new UsageError(`${key ? "That is no program key" : "No program key"}. Set TRIBUTARY_API_KEY.`);
  }
  const url = webUrl(address);
  if (!url || !isSecure(url) || /[?#]/.test(address)) {
    const what = address
      ? "The address must be https (http: localhost only), without credentials, ? and #"
      : "No address";
    throw new UsageError(`${what}. Set TRIBUTARY_URL, or give --url: https://tributary.example`);
  }
  const base = url.href.replace(/\/*$/, "/");
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  const warned = new Set<string>();

  const send = async (path: string, init: RequestInit): Promise<Reply> => {
    const target = `${base}api/v1/${path}`;
    try {
      const signal = AbortSignal.timeout(timeoutMs);
      // Followed, a redirect would turn the call into a GET, or carry the key elsewhere.
      const response = await fetch(target, { ...init, headers, redirect: "manual", signal });
      const body = parse(await response.text());
      if (!isAnswer(response.status, body)) {
        const type = response.headers.get("location") ?? response.headers.get("content-type");
        return {
          isReached: false,
          message: `${target}: no answer of Tributary (${response.status}, ${type}). Check --url.`,
        };
      }
      for (const { message, hint } of warningsOf(body)) {
        if (!warned.has(message)) output.note(`Warning: ${message} ${hint}`);
        warned.add(message);
      }
      const retryAfterSeconds = secondsOf(response.headers.get("retry-after"));
      return { isReached: true, status: response.status, body, retryAfterSeconds };
    } catch (error) {
      return { isReached: false, message: `${target}: ${reasonOf(error)}` };
    }
  };
  return {
    url: base,
    programId,
    get: (path) => send(path, {}),
    post: (path, body) => send(path, { method: "POST", body: JSON.stringify(body) }),
  };
}

function parse(text: string): Members {
  try {
    const body: unknown = JSON.parse(text);
    return isObject(body) ? body : {};
  } catch {
    return {};
  }
}

const isAnswer = (status: number, { error, ...answer }: Members): boolean =>
  status === 200 ? Object.keys(answer).length > 0 : isObject(error) && typeof error.message === "string";

const warningsOf = ({ warnings }: Members) =>
  (Array.isArray(warnings) ? warnings : []) as readonly { readonly message: string; readonly hint: string }[];

function reasonOf(error: unknown): string {
  const { message, cause } = Object(error) as { message?: string; cause?: { message?: string; code?: string } };
  // Where several addresses were tried, the cause has a code alone.
  return [message, cause?.message || cause?.code].filter(Boolean).join(": ");
}

/** Of a number of seconds, or an HTTP date. */
function secondsOf(retryAfter: string | null): number | null {
  if (retryAfter === null) return null;
  const seconds = /^\d+$/.test(retryAfter) ? Number(retryAfter) : (Date.parse(retryAfter) - Date.now()) / 1_000;
  return seconds > 0 ? Math.ceil(seconds) : null;
}
