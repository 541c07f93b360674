import { isObject } from "../src/fields.ts";
import { hintOf, readAddress } from "./address.ts";
import { UsageError } from "./flags.ts";
import { setUnits, type Unit } from "./format.ts";
import { hide, type Output } from "./output.ts";
import { type NotReached, type Received, request } from "./request.ts";

export type Members = Readonly<Record<string, unknown>>;

export interface Answer {
  readonly isReached: true;
  readonly status: number;
  /** The body as the service sent it. */
  readonly body: Members;
  /** Null if the service asked for no pause. */
  readonly retryAfterSeconds: number | null;
}

/** An answer from Tributary, or the reason why there is none. */
export type Reply = Answer | NotReached;

export interface Service {
  /** The service's address, with a trailing slash. */
  readonly url: string;
  /** The program that the key belongs to. */
  readonly programId: number;
  /** Sends once. Never rejects. */
  get(path: string): Promise<Reply>;
  post(path: string, body: Members): Promise<Reply>;
  /** Downloads a file, with a longer time limit than other calls. */
  download(path: string): Promise<Download>;
}

export type Download = Reply | Received;

/** Connects to the service given by flag or environment, with the key from the environment. Throws a `UsageError`. */
export function connect(flags: { url?: string | undefined }, output: Output): Service {
  const key = readKey();
  return openService(readAddress(flags.url), key, ({ message, hint }) => output.note(`Warning: ${message} ${hint}`));
}

export interface Key {
  readonly text: string;
  readonly programId: number;
}

/** The key from the environment; output masks it from now on. Throws a `UsageError`. */
export function readKey(): Key {
  const text = process.env.TRIBUTARY_API_KEY ?? "";
  if (text !== "") hide(text);
  // Keys are `svc_<program id in base 36>_…`.
  const programId = Number.parseInt(/^svc_([0-9a-z]+)_[\w-]+$/.exec(text)?.[1] ?? "", 36);
  if (programId > 0) return { text, programId };
  throw new UsageError(`${text ? "This is not a program key" : "No program key"}. Set TRIBUTARY_API_KEY.`);
}

const unitCode = /"\w*currency":"[A-Z]{4,12}"/;

export interface ServiceWarning {
  readonly message: string;
  readonly hint: string;
}

/** The service at `base`, which ends with a slash. Calls `onWarning` once per message. */
export function openService(base: string, key: Key, onWarning: (warning: ServiceWarning) => void): Service {
  const headers = { authorization: `Bearer ${key.text}`, "content-type": "application/json" };
  const warned = new Set<string>();
  const targetOf = (path: string) => `${base}api/v1/${path}`;

  const send = async (path: string, init: RequestInit): Promise<Reply> => {
    const target = targetOf(path);
    const received = await request(target, { ...init, headers });
    if (!received.isReached) return received;
    if (unitCode.test(received.text)) await learnUnits();
    return answerOf(target, received);
  };
  let learning: Promise<void> | undefined;
  /** Loads the program's units once, so that amounts in units can be printed. */
  const learnUnits = (): Promise<void> => {
    learning ??= request(targetOf("programs/me/units"), { headers }).then((received) => {
      const { data } = received.isReached && received.status === 200 ? parse(received.text) : {};
      if (Array.isArray(data)) setUnits(data as readonly Unit[]);
    });
    return learning;
  };
  const answerOf = (target: string, received: Received): Reply => {
    const body = parse(received.text);
    if (!isAnswer(received.status, body)) return notTributary(base, target, received);
    for (const warning of warningsOf(body)) {
      if (!warned.has(warning.message)) onWarning(warning);
      warned.add(warning.message);
    }
    const retryAfterSeconds = secondsOf(received.headers.get("retry-after"));
    return { isReached: true, status: received.status, body, retryAfterSeconds };
  };
  return {
    url: base,
    programId: key.programId,
    get: (path) => send(path, {}),
    post: (path, body) => send(path, { method: "POST", body: JSON.stringify(body) }),
    download: async (path) => {
      const target = targetOf(path);
      const received = await request(target, { headers, signal: AbortSignal.timeout(downloadTimeoutMs) });
      const isFile = received.isReached && received.status === 200 && isCsv(received.headers);
      return isFile || !received.isReached ? received : answerOf(target, received);
    },
  };
}

const downloadTimeoutMs = 600_000;

const isCsv = (headers: Headers): boolean => /^text\/csv\b/.test(headers.get("content-type") ?? "");

/** The message if something other than Tributary answered, or if Tributary doesn't have the path. */
export function notTributary(base: string, target: string, { status, headers }: Received): NotReached {
  const location = headers.get("location");
  const type = location ?? headers.get("content-type");
  const message = `${target}: no answer from Tributary (${status}, ${type}). ${hintOf(base, target, location)}`;
  return { isReached: false, message };
}

export function parse(text: string): Members {
  try {
    const body: unknown = JSON.parse(text);
    return isObject(body) ? body : {};
  } catch {
    return {};
  }
}

function isAnswer(status: number, { error, ...answer }: Members): boolean {
  if (status === 200 || status === 201) return Object.keys(answer).length > 0;
  const isWrongPath = status === 405 || (status === 404 && Object(error).message === "Not found");
  return isObject(error) && typeof error.message === "string" && !isWrongPath;
}

const warningsOf = ({ warnings }: Members) => (Array.isArray(warnings) ? warnings : []) as readonly ServiceWarning[];

/** Parses a number of seconds, or an HTTP date. */
export function secondsOf(retryAfter: string | null): number | null {
  if (retryAfter === null) return null;
  const seconds = /^\d+$/.test(retryAfter) ? Number(retryAfter) : (Date.parse(retryAfter) - Date.now()) / 1_000;
  return seconds > 0 ? Math.ceil(seconds) : null;
}
