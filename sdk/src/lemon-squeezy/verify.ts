import { isObject } from "../fields.ts";
import { hexOf, type Signed, textKeys, type Verifier, verifierOf } from "../signature.ts";
import type { LemonSqueezyEvent } from "./objects.ts";

/** https://docs.lemonsqueezy.com/help/webhooks/signing-requests */
function read(header: (name: string) => string | undefined): Signed | undefined {
  const signature = header("x-signature");
  return signature ? [[signature], "", Date.now() / 1_000] : undefined;
}

export const isEvent = (event: unknown): event is LemonSqueezyEvent =>
  isObject(event) &&
  isObject(event.meta) &&
  typeof event.meta.event_name === "string" &&
  isObject(event.data) &&
  isObject(event.data.attributes);

/**
 * Checks that a webhook comes from Lemon Squeezy, and returns its event. Never rejects, whatever it is given.
 *
 * `rawBody` is the body exactly as it arrived, not parsed. `secrets`: the webhook's signing secret, or several. Lemon
 * Squeezy doesn't sign the time, so an old webhook that someone sends again is accepted, but counts only once. Needs
 * the Web Crypto API: Node 20 or later, Workers, Deno, Bun.
 */
export const verifyLemonSqueezyEvent: Verifier<LemonSqueezyEvent> = verifierOf(
  read,
  [textKeys, hexOf],
  isEvent,
  JSON.parse,
);
