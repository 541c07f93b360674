import { allowsInsecureHttp } from "../env.ts";
import { isFromTrustedProxy } from "./client-address.ts";
import type { Ctx } from "./context.ts";

export interface Transport {
  readonly isSecure: boolean;
  /** Plain http from this machine, without a proxy. */
  readonly isLoopback: boolean;
  readonly isPlainHttpAllowed: boolean;
}

const loopbackUrl = /^http:\/\/(?:(?:[\w-]+\.)*localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d+)?(?:[/?#]|$)/i;

/** A proxy that calls us by a loopback name normally adds at least one of these. */
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

export function transportOf(c: Ctx): Transport {
  const { req } = c;
  if (req.url.startsWith("https:")) return { isSecure: true, isLoopback: false, isPlainHttpAllowed: false };
  const isSecure = req.header("X-Forwarded-Proto")?.toLowerCase() === "https" && isFromTrustedProxy(c);
  const isLoopback = loopbackUrl.test(req.url) && forwardingHeaders.every((name) => req.header(name) === undefined);
  return { isSecure, isLoopback, isPlainHttpAllowed: !isSecure && (isLoopback || allowsInsecureHttp(c.env)) };
}

/** The URL as the client called it. A proxy that terminates TLS calls us over http. */
export const calledUrl = (c: Ctx): string =>
  c.get("transport").isSecure ? c.req.url.replace(/^http:/, "https:") : c.req.url;

export const originOf = (c: Ctx): string => new URL(calledUrl(c)).origin;
