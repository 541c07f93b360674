/** Paths of tracking calls and of the browser script. The ledger process answers them. */
const ofLedger = ["/api/v1/track/", "/js/"];
/** Other paths that the ledger process answers: health checks and the readiness verdict. */
const alone = new Set(["/healthz", "/readyz", "/api/v1/programs/me/readiness"]);

/**
 * Reports of settled payout lines. A payout can need thousands of them, and answering one costs this process less than
 * forwarding it.
 */
const settlement = /^\/api\/v1\/programs\/me\/payouts\/\d+\/lines\/\d+\/settle$/;

/**
 * Parts of a path that a URL parser may resolve to another path: dot segments, encoded dots and slashes, and empty
 * segments.
 */
const unusual = /\/\.|%2e|%2f|\\|\/\//i;

/**
 * True if the ledger process answers the request with this target. Both processes can answer every path, so requests
 * with an unusual path go to the desk process.
 */
export function isOfLedger(target: string): boolean {
  const [path = ""] = target.split("?", 1);
  if (unusual.test(path)) return false;
  return ofLedger.some((start) => path.startsWith(start)) || alone.has(path) || settlement.test(path);
}

/** Limits of calls that the ledger process handles, alone or together with the desk process. */
const ofLedgersLimits = /^(CLICK|LEAD|SALE|READINESS|FAILED_KEY)_/;

/** True for limits that the ledger process counts. Each limit is counted in only one process. */
export const isOfLedgersLimits = (limit: string): boolean => ofLedgersLimits.test(limit);
