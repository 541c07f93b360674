import { isObject } from "../fields.ts";
import { base64Keys, standardHeaders, standardText, textKeys, type Verifier, verifierOf } from "../signature.ts";
import type { PolarEvent } from "./objects.ts";

// https://polar.sh/docs/integrate/webhooks/delivery. Secrets made since 2026-09-08 contain the key in base64, as
// Standard Webhooks defines. An older secret is itself the key. Nothing in a secret says which kind it is.
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
