import { setTimeout as delay } from "node:timers/promises";
import { maxWaitMs } from "../../../importer/index.ts";
import { type NotReached, type Received, request } from "../request.ts";
import { type Members, parse, secondsOf } from "../service.ts";

/**
 * An error of the processor's API that ends the comparison. The field has the same name as in the processors' own
 * clients.
 */
export class ApiError extends Error {
  /** Undefined if the API didn't respond. */
  readonly statusCode: number | undefined;

  constructor(message: string, statusCode?: number) {
    super(message);
    this.statusCode = statusCode;
  }
}

export interface Api {
  /** Reads a resource. Returns undefined if the resource doesn't exist. Throws an `ApiError`. */
  get(path: string, query?: Query): Promise<Members | undefined>;
}

export type Query = Readonly<Record<string, string | number | readonly string[] | undefined>>;

export interface ApiOptions {
  /** The processor's name for messages. */
  readonly name: string;
  /** With a trailing slash. */
  readonly base: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly onPause: (ms: number, why: string) => void;
}

const timeoutMs = 60_000;
const firstPauseMs = 500;
const longestPauseMs = 30_000;
const attempts = 8;

/** Opens a processor's API. Waits for as long as the processor asks, and retries a request that got no response. */
export function openApi({ name, base, headers, onPause }: ApiOptions): Api {
  let pausedUntil = 0;

  const attempt = async (target: string) => {
    while (Date.now() < pausedUntil) await delay(pausedUntil - Date.now());
    return request(target, { headers, signal: AbortSignal.timeout(timeoutMs) });
  };
  return {
    async get(path, query = {}) {
      const target = `${base}${path}${textOf(query)}`;
      for (let made = 1; ; made += 1) {
        const received = await attempt(target);
        if (isAnswer(received)) return received.status === 200 ? parse(received.text) : undefined;
        const { why, status, ms } = failureOf(name, received, made);
        if (ms === undefined) throw new ApiError(why, status);
        if (ms >= 1_000) onPause(ms, why);
        pausedUntil = Math.max(pausedUntil, Date.now() + ms);
      }
    },
  };
}

const isAnswer = (received: Received | NotReached): received is Received =>
  received.isReached && (received.status === 200 || received.status === 404);

interface Failure {
  readonly why: string;
  readonly status: number | undefined;
  /** The pause before the next attempt. Undefined if there is no further attempt. */
  readonly ms: number | undefined;
}

function failureOf(name: string, received: Received | NotReached, made: number): Failure {
  const backoffMs = Math.min(longestPauseMs, firstPauseMs * 2 ** (made - 1));
  const again = made < attempts ? backoffMs : undefined;
  if (!received.isReached) return { why: received.message, status: undefined, ms: again };
  const { status, text, headers } = received;
  const why = `${name} answered ${status}: ${reasonIn(text)}`;
  const asked = secondsOf(headers.get("retry-after"));
  const askedMs = asked === null ? backoffMs : asked * 1_000;
  if (askedMs > maxWaitMs || (status !== 429 && status < 500)) return { why, status, ms: undefined };
  // A rate limit is retried any number of times, because the processor will respond again.
  return { why, status, ms: status === 429 || again !== undefined ? askedMs : undefined };
}

function textOf(query: Query): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    for (const each of [value ?? []].flat()) search.append(name, String(each));
  }
  return search.size > 0 ? `?${search}` : "";
}

/** Each processor puts the reason in a different field. */
function reasonIn(text: string): string {
  const { error, errors, detail } = parse(text);
  const first = Array.isArray(errors) ? errors[0] : undefined;
  const found = [Object(error).message, Object(error).detail, Object(first).detail, detail, error];
  return found.find((each): each is string => typeof each === "string") ?? text.slice(0, 200);
}
