import { isObject } from "../fields.ts";
import { bytesOfText, standardHeaders, standardText, type Verifier, verifierOf } from "../signature.ts";
import type { PolarEvent } from "./objects.ts";

// Standard Webhooks, but the secret itself is the key: https://polar.sh/docs/integrate/webhooks/delivery

const isEvent = (event: unknown): event is PolarEvent =>
  isObject(event) && typeof event.type === "string" && isObject(event.data);

/**
 * Checks that a webhook comes from Polar, and returns its event. Never rejects, whatever it is given.
 *
 * `rawBody` is the body exactly as it arrived, not parsed. `secrets`: the endpoint's secret as Polar shows it, or
 * several. Needs the Web Crypto API: Node 20 or later, Workers, Deno, Bun.
 */
export const verifyPolarEvent: Verifier<PolarEvent> = verifierOf(
  standardHeaders,
  [bytesOfText, standardText],
  isEvent,
  JSON.parse,
);
