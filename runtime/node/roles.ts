/** Paths of tracking calls and of the browser script, which the ledger answers. */
const ofLedger = ["/api/v1/track/", "/js/"];
/** Other paths that the ledger answers: health checks and the readiness verdict. */
const alone = new Set(["/healthz", "/readyz", "/api/v1/programs/me/readiness"]);

/**
 * Parts of a path that the URL parser may resolve to another path: dot segments, encoded dots and slashes, empty
 * segments.
 */
const unusual = /\/\.|%2e|%2f|\\|\/\//i;

/**
 * True if the ledger answers the request with this target. Both processes can answer every path, so an unusual one goes
 * to the desk.
 */
export function isOfLedger(target: string): boolean {
  const [path = ""] = target.split("?", 1);
  if (unusual.test(path)) return false;
  return ofLedger.some((start) => path.startsWith(start)) || alone.has(path);
}

/** Limits of calls that the ledger handles, alone or together with the desk. */
const ofLedgersLimits = /^(CLICK|LEAD|SALE|READINESS|FAILED_KEY)_/;

/** True for limits that the ledger counts: each limit is counted in only one process. */
export const isOfLedgersLimits = (limit: string): boolean => ofLedgersLimits.test(limit);
