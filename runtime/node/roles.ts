/** What is called for each event, and by health checks. */
const ofLedger = ["/api/v1/track/", "/js/"];
const alone = new Set(["/healthz", "/readyz", "/api/v1/programs/me/readiness"]);

/** Of a path that isn't written out, which may be another one: dot segments, and what stands for a dot or a slash. */
const unusual = /\/\.|%2e|%2f|\\|\/\//i;

/** By the target of a request. Both processes answer every path; the desk gets each that may be one of its own. */
export function isOfLedger(target: string): boolean {
  const [path = ""] = target.split("?", 1);
  if (unusual.test(path)) return false;
  return ofLedger.some((start) => path.startsWith(start)) || alone.has(path);
}

/** Whose calls come to the ledger, or to both. */
const ofLedgersLimits = /^(CLICK|LEAD|SALE|READINESS|FAILED_KEY)_/;

/** Each limit is counted in one process. */
export const isOfLedgersLimits = (limit: string): boolean => ofLedgersLimits.test(limit);
