import { allowsInsecureHttp, baseUrlOf } from "#env.ts";
import { isFromTrustedProxy, isPeerLocal } from "./client-address.ts";
import type { Ctx } from "./context.ts";

export interface Transport {
  readonly isSecure: boolean;
  /** The request uses plain http, from this machine and without a proxy. */
  readonly isLoopback: boolean;
  readonly isPlainHttpAllowed: boolean;
}

const loopbackUrl = /^http:\/\/(?:(?:[\w-]+\.)*localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d+)?(?:[/?#]|$)/i;

/** A proxy that calls the service at a loopback address normally adds at least one of these headers. */
const forwardingHeaders = [
  "Forwarded",
  "Via",
  "X-Forwarded-For",
  "X-Forwarded-Host",
  "X-Forwarded-Port",
  "X-Forwarded-Proto",
  "X-Forwarded-Server",
  "X-Real-IP",
] as const;

export const isDirect = (headers: Headers): boolean => forwardingHeaders.every((name) => !headers.has(name));

/** True for a request through a proxy that reports its caller or the caller's scheme. */
const isForwarded = (headers: Headers): boolean =>
  headers.has("X-Forwarded-For") || headers.has("X-Forwarded-Proto") || headers.has("Forwarded");

export function transportOf(c: Ctx): Transport {
  const { req } = c;
  if (req.url.startsWith("https:")) return { isSecure: true, isLoopback: false, isPlainHttpAllowed: false };
  const isTrusted = isFromTrustedProxy(c);
  if (!isTrusted && isForwarded(req.raw.headers)) c.env.MONITOR?.onUntrustedForwarding();
  const isSecure = isTrusted && req.header("X-Forwarded-Proto")?.toLowerCase() === "https";
  const isLoopback = loopbackUrl.test(req.url) && isPeerLocal(c) && isDirect(req.raw.headers);
  return { isSecure, isLoopback, isPlainHttpAllowed: !isSecure && (isLoopback || allowsInsecureHttp(c.env)) };
}

/**
 * The base URL for links: the configured one, otherwise the one in the request, whose `Host` any client can forge. A
 * proxy that terminates TLS calls the service over http.
 */
export function linkBase(c: Ctx): string {
  const { isLoopback, isSecure } = c.get("transport");
  const known = isLoopback ? undefined : baseUrlOf(c.env);
  return known ?? (isSecure ? c.req.url.replace(/^http:/, "https:") : c.req.url);
}

export const originOf = (c: Ctx): string => new URL(linkBase(c)).origin;
