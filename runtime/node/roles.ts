/** Tracking calls and the browser script. */
const ofLedger = ["/api/v1/track/", "/js/"];
/** Health checks, and the readiness verdict. */
const alone = new Set(["/healthz", "/readyz", "/api/v1/programs/me/readiness"]);

/** Dot segments, encoded dots and slashes, and empty segments: the URL parser may resolve these to another path. */
const unusual = /\/\.|%2e|%2f|\\|\/\//i;

/** `target`: of the HTTP request. Both processes can answer every path, so an unusual one goes to the desk. */
export function isOfLedger(target: string): boolean {
  const [path = ""] = target.split("?", 1);
  if (unusual.test(path)) return false;
  return ofLedger.some((start) => path.startsWith(start)) || alone.has(path);
}

/** Limits of calls that the ledger handles, alone or like the desk. */
const ofLedgersLimits = /^(CLICK|LEAD|SALE|READINESS|FAILED_KEY)_/;

/** Each limit is counted in one process. */
export const isOfLedgersLimits = (limit: string): boolean => ofLedgersLimits.test(limit);
