import type { WebhookEvent } from "./events.ts";
import { isObject } from "./fields.ts";
import { inCamelCase } from "./names.ts";

export type {
  EventApplication,
  EventCommission,
  EventLead,
  EventLeadMoved,
  EventPartner,
  EventPayout,
  EventPayoutLine,
  EventRefund,
  EventSale,
  WebhookEvent,
  WebhookEventType,
} from "./events.ts";

/** `Headers`, Node's `request.headers`, or an object of your own. The names may be in any case. */
export type WebhookHeaders =
  | { get(name: string): string | null }
  | Readonly<Record<string, string | readonly string[] | undefined>>;

export interface WebhookOptions {
  /** How far the delivery's time may be from that of this machine. Default: 300. */
  readonly toleranceSeconds?: number | undefined;
}

/**
 * - `missing_header`: it isn't a delivery, or a proxy has removed a header.
 * - `bad_signature`: another secret, or another body than the one that was sent.
 * - `too_old`: its time is too far from that of this machine. Check the clock; otherwise somebody repeats a delivery.
 * - `not_json`: it is signed, but isn't an event.
 */
export type WebhookFault = "missing_header" | "bad_signature" | "too_old" | "not_json";

export type WebhookResult =
  | { readonly ok: true; readonly event: WebhookEvent; readonly reason?: undefined }
  | { readonly ok: false; readonly reason: WebhookFault; readonly event?: undefined };

/**
 * Checks that a delivery comes from your service, and returns its event. Never rejects, whatever it is given.
 *
 * `rawBody` is the body exactly as it arrived, not parsed. `secrets`: the endpoint's `whsec_…`; while you replace it,
 * both. A delivery may arrive again: skip an event whose `id` you know. Needs the Web Crypto API: Node 20 or later,
 * Workers, Deno, Bun.
 */
export async function verifyWebhook(
  rawBody: string | Uint8Array | ArrayBuffer,
  headers: WebhookHeaders,
  secrets: string | readonly string[],
  options?: WebhookOptions,
): Promise<WebhookResult> {
  try {
    const read = (name: string) => headerOf(headers, `webhook-${name}`);
    const [id, timestamp, signature] = [read("id"), read("timestamp"), read("signature")];
    if (!id || !timestamp || !signature) return failed("missing_header");
    const body = bytesOf(rawBody);
    const signed = joined(encoder.encode(`${id}.${timestamp}.`), body);
    const expected = await Promise.all([secrets].flat().map((secret) => signatureOf(secret, signed).catch(() => "")));
    if (!haveInCommon(signature.split(" "), expected)) return failed("bad_signature");
    const awaySeconds = Math.abs(Date.now() / 1_000 - Number(timestamp));
    if (!(awaySeconds <= (options?.toleranceSeconds ?? 300))) return failed("too_old");
    const event = eventIn(body);
    return event === undefined ? failed("not_json") : { ok: true, event };
  } catch {
    // Something else than a body, headers, secrets or options.
    return failed("bad_signature");
  }
}

const encoder = new TextEncoder();

const failed = (reason: WebhookFault) => ({ ok: false, reason }) as const;

function headerOf(headers: WebhookHeaders, name: string): string | undefined {
  if (!isObject(headers)) return undefined;
  if (typeof headers.get === "function") return headers.get(name) ?? undefined;
  const own = Object.entries(headers).find(([each]) => each.toLowerCase() === name)?.[1];
  return own === undefined ? undefined : [own].flat().join(" ");
}

function bytesOf(body: string | Uint8Array | ArrayBuffer): Uint8Array {
  // As an object, because the constructor takes a number for a length.
  return typeof body === "string" ? encoder.encode(body) : new Uint8Array(Object(body));
}

function joined(first: Uint8Array, second: Uint8Array): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(first.length + second.length);
  all.set(first);
  all.set(second, first.length);
  return all;
}

const prefix = "whsec_";

/** Rejects if it isn't a secret of an endpoint. */
async function signatureOf(secret: string, signed: Uint8Array<ArrayBuffer>): Promise<string> {
  const raw = atob(secret.slice(prefix.length));
  // An empty one, such as that of a variable which isn't set, would be everybody's.
  if (!secret.startsWith(prefix) || raw === "") return "";
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const bytes = Uint8Array.from(raw, (character) => character.charCodeAt(0));
  const key = await crypto.subtle.importKey("raw", bytes, algorithm, false, ["sign"]);
  const signature = new Uint8Array(await crypto.subtle.sign("HMAC", key, signed));
  return `v1,${btoa(String.fromCharCode(...signature))}`;
}

/** Takes the same time wherever two texts differ. */
function areEqual(one: string, other: string): boolean {
  let difference = one.length ^ other.length;
  for (let i = 0; i < other.length; i += 1) difference |= one.charCodeAt(i) ^ other.charCodeAt(i);
  return difference === 0;
}

const haveInCommon = (given: readonly string[], expected: readonly string[]): boolean =>
  expected.some((one) => one !== "" && given.some((each) => areEqual(each, one)));

function eventIn(body: Uint8Array): WebhookEvent | undefined {
  try {
    const event: unknown = JSON.parse(inCamelCase(new TextDecoder("utf-8", { fatal: true }).decode(body)));
    return isObject(event) && typeof event.type === "string" && isObject(event.data)
      ? (event as unknown as WebhookEvent)
      : undefined;
  } catch {
    return undefined;
  }
}
