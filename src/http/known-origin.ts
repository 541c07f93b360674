import { addressFrom, baseUrlOf } from "#env.ts";
import type { Ctx } from "./context.ts";
import { originOf } from "./transport.ts";

/**
 * The service's own origin. Undefined if it is known only from the request's `Host` header, which a caller can forge.
 */
export function knownOrigin(c: Ctx): string | undefined {
  const isKnown =
    baseUrlOf(c.env) !== undefined || c.get("transport").isLoopback || addressFrom(c.env) === "cloudflare";
  return isKnown ? originOf(c) : undefined;
}
