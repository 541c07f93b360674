import type { CallOptions, Optional } from "../inputs.ts";
import type { Commission, Failure, SaleRecord, Success } from "../results.ts";

export interface PageFilter {
  /** The `nextCursor` of the page before, with the same filter. */
  readonly cursor?: Optional<string>;
}

/** At most 50 rows. */
export interface Page<Row> extends Success<readonly Row[]> {
  /** Null on the last page. */
  readonly nextCursor: string | null;
}

export type PageResult<Row> = Page<Row> | Failure;

/** All lists of a key together: 600 calls a minute. */
export interface List<Row, Filter extends PageFilter> {
  list(filter?: Filter, options?: CallOptions): Promise<PageResult<Row>>;
  /** Page after page, as each is asked for. A failure is the last one: continue after the page before, by its cursor. */
  pages(filter?: Filter, options?: CallOptions): AsyncIterable<PageResult<Row>>;
}

export interface CommissionFilter extends PageFilter {
  /** Default: every status except `void`. */
  readonly status?: Optional<Commission["status"]>;
  readonly partnerId?: Optional<number>;
  /** ISO 4217. */
  readonly currency?: Optional<string>;
  /** First day of the sales, `YYYY-MM-DD`, in the program's time zone. */
  readonly dateFrom?: Optional<string>;
  /** Last day of the sales, inclusive. */
  readonly dateTo?: Optional<string>;
  /** Why a `void` commission pays nothing. Use it with the status `void`. */
  readonly reason?: Optional<string>;
}

export interface BalanceFilter extends PageFilter {
  /** ISO 4217. */
  readonly currency?: Optional<string>;
}

/** Amounts are in the smallest unit of `currency`, times are ISO 8601. */
export interface ListedCommission {
  readonly id: number;
  readonly saleId: number;
  /** The sale's `invoiceId`. */
  readonly transactionId: string;
  /** The customer's `customerExternalId`. */
  readonly customerKey: string | null;
  /** Day of the sale in the program's time zone. */
  readonly saleDate: string;
  readonly soldAt: string;
  /** Before refunds. */
  readonly saleAmountCents: number;
  readonly saleRefundedCents: number;
  readonly partnerId: number | null;
  readonly partnerCode: string | null;
  readonly partnerName: string | null;
  readonly source: NonNullable<SaleRecord["source"]> | null;
  /** The partner's sub-id: `aff_sub` of the click that the commission rests on. */
  readonly sub: string | null;
  readonly status: Commission["status"];
  /** Why a `void` commission pays nothing. */
  readonly reason: string | null;
  readonly unconfirmed: boolean;
  /** A member has to look at it first. */
  readonly held: boolean;
  readonly heldSince: string | null;
  /** When a review ends by itself. Null: a member ends it. */
  readonly reviewUntil: string | null;
  /** Why it is held or flagged. */
  readonly reasons: readonly { readonly code: string; readonly text: string }[];
  /** Hundredths of a percent. Null for a fixed amount, and without a policy. */
  readonly rateBps: number | null;
  /** Before refunds and a rejection. */
  readonly initialCents: number;
  readonly amountCents: number;
  readonly currency: string;
  readonly holdUntil: string | null;
  readonly approvedAt: string | null;
  readonly createdAt: string;
  /** A payout that isn't paid yet has reserved it. */
  readonly inPayout: boolean;
}

/** Balance of one partner in one currency, in its smallest unit. */
export interface Balance {
  readonly partnerId: number;
  readonly partnerCode: string;
  readonly name: string;
  readonly currency: string;
  /** On hold, or waiting for a confirmation. */
  readonly pendingCents: number;
  /** Approved and in no payout. */
  readonly payableCents: number;
  /** Reserved by payouts that are final but not paid. */
  readonly inPayoutCents: number;
  readonly paidCents: number;
  /** Negative or 0: the partner's next commissions make up for it. */
  readonly carriedCents: number;
}

/** Amounts are in the smallest unit of `currency`, times are ISO 8601. */
export interface Payout {
  readonly id: number;
  readonly reference: string;
  readonly status: "draft" | "final" | "paid" | "canceled";
  readonly currency: string;
  /** Commissions and bonuses that became payable up to this time are included. */
  readonly until: string;
  /** The smallest amount of a line. */
  readonly minimumCents: number;
  readonly totalCents: number;
  readonly lineCount: number;
  /** Sum of failed lines. `totalCents` includes it. */
  readonly returnedCents: number;
  readonly createdAt: string;
  readonly finalizedAt: string | null;
  readonly confirmedAt: string | null;
  readonly canceledAt: string | null;
  readonly paidAt: string | null;
}

export interface Payouts extends List<Payout, PageFilter> {
  /** The commissions that a payout has reserved or paid. */
  commissions(payoutId: number): List<ListedCommission, PageFilter>;
}
