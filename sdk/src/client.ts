import type { CallOptions, ClickInput, LeadInput, OfferInput, RefundInput, SaleInput } from "./inputs.ts";
import type {
  ClickResult,
  LeadResult,
  OfferResult,
  ReadinessResult,
  RefundResult,
  SaleResult,
  TrackingProblem,
  VerificationResult,
} from "./results.ts";

/** The methods of `Tributary`. Use this type for test doubles. */
export interface TributaryClient {
  /** The id of the key's program. */
  readonly programId: number;
  trackLead(lead: LeadInput, options?: CallOptions): Promise<LeadResult>;
  trackSale(sale: SaleInput, options?: CallOptions): Promise<SaleResult>;
  /** Records a sale in the test book. */
  trackTestSale(sale: SaleInput, options?: CallOptions): Promise<SaleResult>;
  trackRefund(refund: RefundInput, options?: CallOptions): Promise<RefundResult>;
  trackClick(click: ClickInput, options?: CallOptions): Promise<ClickResult>;
  /** Needs a key with the scope `read`. */
  getOffer(customer: OfferInput, options?: CallOptions): Promise<OfferResult>;
  readiness(options?: CallOptions): Promise<ReadinessResult>;
  runVerification(options?: CallOptions): Promise<VerificationResult>;
  /** Passes a problem to the client's `onError`. */
  report(problem: TrackingProblem): void;
}
