import { instruments } from "./instruments.ts";

const everyMs = 3_600_000;

const message =
  "A call has a forwarding header, but its peer isn't in TRUSTED_PROXIES: the header is ignored. If the peer is your proxy, all of its callers share one address and its limits.";

/** Counts calls with forwarding headers from an untrusted sender, and logs one of them an hour, without its address. */
export function untrustedForwarding(now: () => number = Date.now): () => void {
  let loggedAt = Number.NEGATIVE_INFINITY;
  return () => {
    instruments.onUntrustedForwarding();
    if (now() - loggedAt < everyMs) return;
    loggedAt = now();
    console.warn(JSON.stringify({ level: "warn", event: "proxy.untrusted", message }));
  };
}
