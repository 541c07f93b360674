import { isObject } from "./fields.ts";

/** `Headers`, Node's `request.headers`, or an object of your own. The names may be in any case. */
export type WebhookHeaders =
  | { get(name: string): string | null }
  | Readonly<Record<string, string | readonly string[] | undefined>>;

export interface WebhookOptions {
  /** The maximum difference between the delivery's time and this machine's, in seconds. Default: 300. */
  readonly toleranceSeconds?: number | undefined;
}

/** The body exactly as it arrived, not parsed. */
export type RawBody = string | Uint8Array | ArrayBuffer;

/**
 * - `missing_header`: the request isn't a delivery, or a proxy has removed a header.
 * - `bad_signature`: the sender has another secret, or the body isn't the one that was sent.
 * - `too_old`: the delivery's time is too far from this machine's. Check the clock. If it is right, someone has sent
 *   an old delivery again.
 * - `not_json`: the signature is valid, but the body isn't an event.
 * - `no_secret`: no secret was passed, or only empty or malformed ones. Check that the variable is set.
 */
export type WebhookFault = "missing_header" | "bad_signature" | "too_old" | "not_json" | "no_secret";

export type Verified<Event> =
  | { readonly ok: true; readonly event: Event; readonly reason?: undefined }
  | { readonly ok: false; readonly reason: WebhookFault; readonly event?: undefined };

/** @internal The parts of a delivery's headers. `before` is signed together with the body, which follows it. */
export type Signed = readonly [signatures: readonly string[], before: string, sentAtSeconds: number];

export type Verifier<Event> = (
  rawBody: RawBody,
  headers: WebhookHeaders,
  secrets: string | readonly string[],
  options?: WebhookOptions,
) => Promise<Verified<Event>>;

type Key = Uint8Array<ArrayBuffer>;
/** Returns the keys with which a sender that has this secret may sign. */
type KeysOf = (secret: string) => readonly Key[];
type TextOf = (signature: Uint8Array) => string;

/**
 * @internal Creates a verifier from a sender's way of signing. The verifier never rejects, whatever it is given. `read`
 * returns undefined if a header is missing.
 */
export const verifierOf =
  <Event>(
    read: (header: (name: string) => string | undefined) => Signed | undefined,
    [keysOf, textOf]: readonly [KeysOf, TextOf],
    isEvent: (event: unknown) => event is Event,
    parse: (json: string) => unknown,
  ): Verifier<Event> =>
  async (rawBody, headers, secrets, options) => {
    let reason: WebhookFault = "bad_signature";
    try {
      const keys = [secrets].flat().flatMap((secret) => usableKeys(secret, keysOf));
      if (keys.length === 0) return failed("no_secret");
      const given = read((name) => headerOf(headers, name));
      if (!given) return failed("missing_header");
      const [sent, before, sentAt] = given;
      const body = bytesOf(rawBody);
      const signed = joined(encoder.encode(before), body);
      const expected = keys.map((key) => signatureOf(key, signed, textOf));
      if (!haveInCommon(sent, await Promise.all(expected))) return failed(reason);
      const awaySeconds = Math.abs(Date.now() / 1_000 - sentAt);
      if (!(awaySeconds <= (options?.toleranceSeconds ?? 300))) return failed("too_old");
      reason = "not_json";
      const event = parse(new TextDecoder("utf-8", { fatal: true }).decode(body));
      return isEvent(event) ? { ok: true, event } : failed(reason);
    } catch {
      // The arguments aren't a body, headers, secrets and options, or the body isn't JSON.
      return failed(reason);
    }
  };

const failed = (reason: WebhookFault) => ({ ok: false, reason }) as const;

/** @internal Reads the headers of Standard Webhooks: https://www.standardwebhooks.com */
export function standardHeaders(header: (name: string) => string | undefined): Signed | undefined {
  const [id, timestamp, signature] = ["webhook-id", "webhook-timestamp", "webhook-signature"].map(header);
  return id && timestamp && signature ? [signature.split(" "), `${id}.${timestamp}.`, Number(timestamp)] : undefined;
}

/** @internal */
export const standardText = (signature: Uint8Array): string => `v1,${btoa(String.fromCharCode(...signature))}`;

/** @internal */
export const hexOf = (signature: Uint8Array): string =>
  [...signature].map((byte) => byte.toString(16).padStart(2, "0")).join("");

/** @internal The secret itself is the key. */
export const textKeys = (secret: string): readonly [Key] => [encoder.encode(secret)];

const secretPrefix = /^whsec_/;

/**
 * @internal Decodes the base64 of Standard Webhooks, with its prefix or without. Returns no keys if the text isn't
 * base64.
 */
export function base64Keys(secret: string): readonly Key[] {
  try {
    return [Uint8Array.from(atob(secret.replace(secretPrefix, "")), (character) => character.charCodeAt(0))];
  } catch {
    return [];
  }
}

const encoder = new TextEncoder();

function headerOf(headers: WebhookHeaders, name: string): string | undefined {
  if (!isObject(headers)) return undefined;
  if (typeof headers.get === "function") return headers.get(name) ?? undefined;
  const own = Object.entries(headers).find(([each]) => each.toLowerCase() === name)?.[1];
  return own === undefined ? undefined : [own].flat().join(" ");
}

function bytesOf(body: RawBody): Uint8Array {
  // `Object` makes a number harmless: the constructor would take a number for a length.
  return typeof body === "string" ? encoder.encode(body) : new Uint8Array(Object(body));
}

function joined(first: Uint8Array, second: Uint8Array): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(first.length + second.length);
  all.set(first);
  all.set(second, first.length);
  return all;
}

/**
 * Returns no keys for an empty secret, such as a variable that isn't set, or for the text of a missing value, such as
 * "undefined": such a key would let anyone sign. Also returns none for a text that isn't a secret of this sender.
 */
function usableKeys(secret: unknown, keysOf: KeysOf): readonly Key[] {
  const isSecret = typeof secret === "string" && !/^\s*(undefined|null)?\s*$/.test(secret.replace(secretPrefix, ""));
  return isSecret ? keysOf(secret).filter(({ length }) => length > 0) : [];
}

async function signatureOf(bytes: Key, signed: Key, textOf: TextOf): Promise<string> {
  const key = await crypto.subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
  return textOf(new Uint8Array(await crypto.subtle.sign("HMAC", key, signed)));
}

/** The comparison takes the same time, whatever the position of the first difference. */
function areEqual(one: string, other: string): boolean {
  let difference = one.length ^ other.length;
  for (let i = 0; i < other.length; i += 1) difference |= one.charCodeAt(i) ^ other.charCodeAt(i);
  return difference === 0;
}

const haveInCommon = (given: readonly string[], expected: readonly string[]): boolean =>
  expected.some((one) => given.some((each) => areEqual(each, one)));
