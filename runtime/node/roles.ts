/** What is called for each event, and by health checks. */
const ofLedger = ["/api/v1/track/", "/js/"];
const alone = new Set(["/healthz", "/readyz", "/api/v1/programs/me/readiness"]);

/** By the target of a request. Both processes answer every path, so another spelling of one costs no more than the way. */
export function isOfLedger(target: string): boolean {
  const [path = ""] = target.split("?", 1);
  return ofLedger.some((start) => path.startsWith(start)) || alone.has(path);
}

/** Whose calls come to the ledger, or to both. */
const ofLedgersLimits = /^(CLICK|LEAD|SALE|READINESS|FAILED_KEY)_/;

/** Each limit is counted in one process. */
export const isOfLedgersLimits = (limit: string): boolean => ofLedgersLimits.test(limit);
