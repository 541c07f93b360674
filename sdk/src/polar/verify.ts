import { isObject } from "../fields.ts";
import { base64Keys, standardHeaders, standardText, textKeys, type Verifier, verifierOf } from "../signature.ts";
import type { PolarEvent } from "./objects.ts";

// https://polar.sh/docs/integrate/webhooks/delivery. The key of a secret made since 2026-09-08 is that of Standard
// Webhooks, the key of an older one is the secret itself. Nothing in a secret says which it is.
const keysOf = (secret: string) => [...textKeys(secret), ...(secret.startsWith("whsec_") ? base64Keys(secret) : [])];

export const isEvent = (event: unknown): event is PolarEvent =>
  isObject(event) && typeof event.type === "string" && isObject(event.data);

/**
 * Checks that a webhook comes from Polar, and returns its event. Never rejects, whatever it is given.
 *
 * `rawBody` is the body exactly as it arrived, not parsed. `secrets`: the endpoint's secret as Polar shows it, or
 * several; older and newer ones (`whsec_…`) alike. Needs the Web Crypto API: Node 20 or later, Workers, Deno, Bun.
 */
export const verifyPolarEvent: Verifier<PolarEvent> = verifierOf(
  standardHeaders,
  [keysOf, standardText],
  isEvent,
  JSON.parse,
);
