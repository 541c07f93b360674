import type { TributaryClient } from "./client.ts";
import type { CallOptions } from "./inputs.ts";
import type { Readiness, TestChain, Verification } from "./readiness.ts";
import type {
  Click,
  ClickResult,
  Commission,
  Failure,
  FailureName,
  Lead,
  LeadResult,
  OfferAnswer,
  OfferResult,
  ReadinessResult,
  Refund,
  RefundResult,
  Sale,
  SaleResult,
  Success,
  TrackingProblem,
  VerificationResult,
} from "./results.ts";

type Method = Exclude<keyof TributaryClient, "programId" | "report">;
type AnyResult =
  | LeadResult
  | SaleResult
  | RefundResult
  | ClickResult
  | OfferResult
  | ReadinessResult
  | VerificationResult;

/** Methods that replace those of the test double. */
export type TestClientOptions = Partial<Omit<TributaryClient, "report">>;

/** The recorded call `trackSale({ … })` is `{ method: "trackSale", arguments: [{ … }] }`. */
export type TestCall = {
  [Name in Method]: { readonly method: Name; readonly arguments: Parameters<TributaryClient[Name]> };
}[Method];

export interface TestClient extends TributaryClient {
  /** The calls in the order in which they were made. */
  readonly calls: readonly TestCall[];
  /** The failures of calls without their own `onError`, and the problems passed to `report`. */
  readonly problems: readonly TrackingProblem[];
}

const commission: Commission = {
  amountCents: 100,
  currency: "EUR",
  status: "pending",
  holdUntil: null,
  unconfirmed: false,
  held: false,
};
const recorded = { success: true, message: "Recorded", saleId: 1, commissionId: 1 } as const;
const attributed = { ...recorded, attributed: true, partnerCode: "anna" } as const;
const lead: Lead = { ...attributed, leadId: 1 };
const sale: Sale = { ...attributed, commission };
const refund: Refund = {
  ...recorded,
  status: "refunded",
  refundId: null,
  refundedCents: 100,
  refundedTotalCents: 100,
  commissionReversedCents: 10,
  commissionAmountCents: 90,
};
const offer: OfferAnswer = { offer: null, partnerCode: null, reason: "no_offer" };
const click: Click = { ...recorded, clickId: "click", partnerCode: "anna", cookieWindowDays: 60 };
const testChain: TestChain = { click: "attributed", lead: "attributed", sale: "attributed" };
const pass = { status: "pass" } as const;
const readiness: Readiness = {
  programId: 1,
  state: "live_verified",
  integrationVerified: true,
  blocker: null,
  gates: {
    profile: pass,
    economics: pass,
    payout: pass,
    tracking: { ...pass, detail: null, checkedAt: "2026-01-01T00:00:00Z" },
    live: { ...pass, testChain },
  },
  lastEventAt: { click: null, lead: null, sale: null },
  counts24h: { clicks: 0, leads: 0, sales: 0 },
  keyRotatedAt: null,
  lastReconciliation: null,
  poll: { retryAfterSeconds: 5 },
};
const verification: Verification = {
  data: { type: "chain", shortCode: "test", customerKey: "test", verdict: testChain, attributed: true, steps: [] },
};

/**
 * A test double for `Tributary`: sends nothing, and records every call. Each call succeeds, unless you pass your own
 * method.
 */
export function createTestClient(options: TestClientOptions = {}): TestClient {
  const { programId = 1 } = options;
  const calls: TestCall[] = [];
  const problems: TrackingProblem[] = [];
  const report = (problem: TrackingProblem) => void problems.push(problem);

  const answer = async <Result extends AnyResult>(
    method: Method,
    source: TrackingProblem["source"],
    args: TestCall["arguments"],
    result: Promise<Result>,
  ): Promise<Result> => {
    calls.push({ method, arguments: args } as TestCall);
    // The last argument contains the options, and only options can have `onError`.
    const { onError = report }: CallOptions = Object(args.at(-1));
    const settled: AnyResult = await result;
    if (!settled.ok) onError({ source, message: settled.error.message, failure: settled });
    return result;
  };
  const {
    trackLead = () => success(lead),
    trackSale = () => success(sale),
    trackTestSale = () => success(sale),
    trackRefund = () => success(refund),
    trackClick = () => success(click),
    getOffer = () => success(offer),
    readiness: ready = () => success({ ...readiness, programId }),
    runVerification = () => success(verification),
  } = options;
  return {
    programId,
    calls,
    problems,
    report,
    trackLead: (...args) => answer("trackLead", "lead", args, trackLead(...args)),
    trackSale: (...args) => answer("trackSale", "sale", args, trackSale(...args)),
    trackTestSale: (...args) => answer("trackTestSale", "sale", args, trackTestSale(...args)),
    trackRefund: (...args) => answer("trackRefund", "refund", args, trackRefund(...args)),
    trackClick: (...args) => answer("trackClick", "click", args, trackClick(...args)),
    getOffer: (...args) => answer("getOffer", "offer", args, getOffer(...args)),
    readiness: (...args) => answer("readiness", "readiness", args, ready(...args)),
    runVerification: (...args) => answer("runVerification", "verification", args, runVerification(...args)),
  };
}

const success = async <Data>(data: Data): Promise<Success<Data>> => ({
  ok: true,
  status: 200,
  error: null,
  data,
  requestId: null,
});

/** Creates the result of a failed call. Default: the service is unavailable. */
export const testFailure = (
  status = 503,
  name: FailureName = "ServiceUnavailableError",
  retryable = status === 429 || status >= 500,
): Failure => ({
  ok: false,
  status,
  error: { name, message: name, details: {}, retryAfterSeconds: null },
  data: null,
  requestId: null,
  retryable,
});
