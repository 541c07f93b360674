import { isObject } from "../fields.ts";
import { hexOf, type Signed, textKeys, type Verifier, verifierOf } from "../signature.ts";
import type { PaddleEvent } from "./objects.ts";

/** https://developer.paddle.com/webhooks/about/signature-verification */
function read(header: (name: string) => string | undefined): Signed | undefined {
  const parts = (header("paddle-signature") ?? "").split(";").map((part) => part.split("="));
  const of = (name: string) => parts.flatMap(([each, value]) => (each === name && value ? [value] : []));
  const [[timestamp], signatures] = [of("ts"), of("h1")];
  if (timestamp === undefined || signatures.length === 0) return undefined;
  return [signatures, `${timestamp}:`, Number(timestamp)];
}

export const isEvent = (event: unknown): event is PaddleEvent =>
  isObject(event) && typeof event.event_type === "string" && isObject(event.data);

/**
 * Checks that a notification comes from Paddle, and returns its event. Never rejects, whatever it is given.
 *
 * `rawBody` is the body exactly as it arrived, not parsed. `secrets`: the secret key of the notification destination, or
 * several. Needs the Web Crypto API: Node 20 or later, Workers, Deno, Bun.
 */
export const verifyPaddleEvent: Verifier<PaddleEvent> = verifierOf(read, [textKeys, hexOf], isEvent, JSON.parse);
