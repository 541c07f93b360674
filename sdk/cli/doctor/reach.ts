import { type Received, request } from "../request.ts";
import { notTributary, parse } from "../service.ts";
import type { Finding } from "./finding.ts";

const warnSkewSeconds = 60;
/** The service accepts `occurred_at` up to five minutes in the future. */
const maxSkewSeconds = 300;

export interface Reach {
  readonly isReached: boolean;
  readonly findings: readonly Finding[];
}

/** Checks, without the key, that a Tributary service answers at `base`, and compares its clock with this machine's. */
export async function checkReach(base: string): Promise<Reach> {
  const target = `${base}healthz`;
  const startedAt = Date.now();
  const health = await request(target);
  const endedAt = Date.now();
  if (!health.isReached) return notReached(health.message, "Is the service running, and is the address right?");
  if (health.status !== 200 || parse(health.text).status !== "ok") {
    return notReached(notTributary(base, target, health).message);
  }
  const database = await request(`${base}readyz`);
  const isWhole = database.isReached && database.status === 200;
  const address: Finding = isWhole
    ? { name: "address", status: "pass", message: `${base} answers within ${endedAt - startedAt} ms` }
    : {
        name: "address",
        status: "warn",
        message: `${base} answers, but its database is unreachable`,
        next_action: "Nothing to do: calls are retried. If it persists, tell the operator of the service.",
      };
  return { isReached: true, findings: [address, ...clockOf(health, (startedAt + endedAt) / 2)] };
}

const notReached = (message: string, next_action?: string): Reach => ({
  isReached: false,
  findings: [{ name: "address", status: "fail", message, next_action }],
});

function clockOf({ headers }: Received, receivedAt: number): Finding[] {
  // The Date header contains whole seconds only.
  const sentAt = Date.parse(headers.get("date") ?? "") + 500;
  if (Number.isNaN(sentAt)) return [];
  const seconds = Math.round((receivedAt - sentAt) / 1_000);
  const distance = Math.abs(seconds);
  if (distance <= warnSkewSeconds) {
    return [{ name: "clock", status: "pass", message: `differs from the service's by ${distance} s` }];
  }
  const status = distance > maxSkewSeconds ? "fail" : "warn";
  const message = `this machine's clock is ${distance} s ${seconds > 0 ? "ahead of" : "behind"} the service's`;
  const next_action = "Set the clock (NTP): an occurred_at more than 5 minutes in the future is refused.";
  return [{ name: "clock", status, message, next_action }];
}
