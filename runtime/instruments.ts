import type { AnsweredCall } from "#env.ts";
import { Counter, Histogram, type Metric } from "./exposition.ts";

const durationBounds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const roundBounds = [1, 2, 5, 10, 20, 50, 100];
const faultKinds = ["busy", "refused", "statement", "unable", "unknown"];
const methods = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);

const requests = new Counter({
  name: "tributary_http_requests_total",
  help: "Answered requests, by the route's pattern and the outcome: ok, or the refusal's code.",
});
const durations = new Histogram(
  { name: "tributary_http_request_duration_seconds", help: "Time to answer a request, by the route's pattern." },
  durationBounds,
);
const rounds = new Histogram(
  { name: "tributary_ledger_round_calls", help: "Calls committed together in one round of the Ledger." },
  roundBounds,
);
const faults = new Counter({
  name: "tributary_database_faults_total",
  help: "Requests to the database that failed, each attempt counted, by the kind of fault.",
});
for (const kind of faultKinds) faults.add({ kind }, 0);
const untrusted = new Counter({
  name: "tributary_untrusted_forwarding_total",
  help: "Calls with a forwarding header from a peer that isn't a trusted proxy.",
});
untrusted.add({}, 0);

/** The metrics belong to the process, so that they survive the eviction of a Ledger object. */
export const instruments = {
  onCall: ({ method, route = "unmatched", status, outcome, duration_ms }: AnsweredCall): void => {
    const known = methods.has(method) ? method : "other";
    requests.add({ method: known, route, status: String(status), outcome });
    durations.observe({ method: known, route }, duration_ms / 1_000);
  },
  onRound: (calls: number): void => rounds.observe({}, calls),
  onDatabaseFault: (kind: string): void => faults.add({ kind }),
  onUntrustedForwarding: (): void => untrusted.add({}),
  get metrics(): readonly Metric[] {
    return [requests, durations, rounds, faults, untrusted].map(({ metric }) => metric);
  },
};
