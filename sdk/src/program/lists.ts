import type { CallOptions, Optional } from "../inputs.ts";
import type { Commission, Failure, SaleRecord, Success } from "../results.ts";
import type { PayoutLines } from "./settlement.ts";

export interface PageFilter {
  /** The `nextCursor` of the previous page. The filter must be the same. */
  readonly cursor?: Optional<string>;
}

/** A page has at most 50 rows, and a page of sales at most 500. */
export interface Page<Row> extends Success<readonly Row[]> {
  /** Null on the last page. */
  readonly nextCursor: string | null;
}

export type PageResult<Row> = Page<Row> | Failure;

/** A key has 600 calls a minute for all lists together. */
export interface List<Row, Filter extends PageFilter> {
  list(filter?: Filter, options?: CallOptions): Promise<PageResult<Row>>;
  /**
   * Reads each page when it is asked for. A failure is the last result: to continue, call it again with the
   * `nextCursor` of the page before the failure.
   */
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
  /** Only commissions that pay nothing for this reason. Use it with the status `void`. */
  readonly reason?: Optional<string>;
}

export interface CustomerFilter extends PageFilter {
  /** Your `customerExternalId`. */
  readonly customerKey?: Optional<string>;
  /** Any code of the partner. */
  readonly partnerCode?: Optional<string>;
  readonly source?: Optional<NonNullable<SaleRecord["source"]>>;
  readonly attributed?: Optional<boolean>;
  /** Only customers who became known at this instant or later. A string is ISO 8601 with an offset. */
  readonly from?: Optional<Date | string>;
  readonly to?: Optional<Date | string>;
  /** True: only customers with a sale, attributed or not. */
  readonly hasSale?: Optional<boolean>;
  /** The beginning of a customer key, or a whole email address. */
  readonly q?: Optional<string>;
  /** True: customers of test events. A test key needs it. */
  readonly testMode?: Optional<boolean>;
}

/** Times are ISO 8601. */
export interface Customer {
  /**
   * Your `customerExternalId`. Null if the customer is known only by a click. A pseudonym if the customer was erased.
   */
  readonly customerKey: string | null;
  /** Null if no partner is attributed. */
  readonly partnerCode: string | null;
  readonly source: NonNullable<SaleRecord["source"]> | null;
  /** The time from which the customer is attributed to the partner. */
  readonly since: string | null;
  /** True if clicks no longer move the customer to another partner. */
  readonly locked: boolean;
  readonly knownSince: string;
  readonly firstSaleAt: string | null;
  /**
   * Number of attributed sales. `sales`, `otherSales` and `sums` are null if the customer has more than 10,000 sales.
   */
  readonly sales: number | null;
  readonly otherSales: number | null;
  /** Sums of the attributed sales, in the smallest unit of each currency. */
  readonly sums:
    | readonly {
        readonly currency: string;
        /** The amount before refunds. */
        readonly amountCents: number;
        readonly refundedCents: number;
        readonly commissionCents: number;
      }[]
    | null;
  /** True if the customer has more than 10,000 sales. */
  readonly partial: boolean;
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
  /** The day of the sale in the program's time zone. */
  readonly saleDate: string;
  readonly soldAt: string;
  /** The sale's amount before refunds. */
  readonly saleAmountCents: number;
  readonly saleRefundedCents: number;
  /** The currency of the sale's amounts. */
  readonly saleCurrency: string;
  readonly partnerId: number | null;
  readonly partnerCode: string | null;
  readonly partnerName: string | null;
  readonly source: NonNullable<SaleRecord["source"]> | null;
  /** The partner's sub-id: the `aff_sub` of the click to which the commission is attributed. */
  readonly sub: string | null;
  readonly status: Commission["status"];
  /** The reason why a `void` commission pays nothing. */
  readonly reason: string | null;
  readonly unconfirmed: boolean;
  /** True if a member has to review the commission first. */
  readonly held: boolean;
  readonly heldSince: string | null;
  /** The time at which a review ends automatically. Null if a member has to end it. */
  readonly reviewUntil: string | null;
  /** The reasons why the commission is held or flagged. */
  readonly reasons: readonly { readonly code: string; readonly text: string }[];
  /** The policy's rate in hundredths of a percent. Null for a fixed amount, and without a policy. */
  readonly rateBps: number | null;
  /**
   * The rate that gave the amount, in hundredths of a percent: the rate of the policy, of one of its rules, or of a
   * tier. Null if the amount comes from several rates or from a fixed amount, and for a `void` commission.
   */
  readonly appliedRateBps: number | null;
  /** The amount before refunds or a rejection reduced it. */
  readonly initialCents: number;
  readonly amountCents: number;
  /** The currency or unit of the commission's amounts. */
  readonly currency: string;
  readonly holdUntil: string | null;
  readonly approvedAt: string | null;
  /** `hold`: approved when the hold ended. `person`: approved by a member. Null if the commission isn't approved. */
  readonly approvedBy: "hold" | "person" | null;
  readonly createdAt: string;
  /** True if a payout that isn't paid yet has reserved the commission. */
  readonly inPayout: boolean;
}

/** The balance of one partner in one currency, in the currency's smallest unit. */
export interface Balance {
  readonly partnerId: number;
  readonly partnerCode: string;
  readonly name: string;
  readonly currency: string;
  /** Commissions that are on hold, or that wait for a confirmation or a review. */
  readonly pendingCents: number;
  /** The amount to pay: approved and in no payout. 0 if more was reversed than earned. */
  readonly payableCents: number;
  /** The amount reserved by payouts that are final but not paid. */
  readonly inPayoutCents: number;
  readonly paidCents: number;
  /** Negative or 0: a debt that is deducted from the partner's next commissions. */
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
  /** The smallest amount that a line may have. */
  readonly minimumCents: number;
  readonly totalCents: number;
  readonly lineCount: number;
  /** The sum of lines whose payment was returned. Included in `totalCents`. */
  readonly returnedCents: number;
  /** `person`: a member pays all lines at once. `api`: your own system settles each line. */
  readonly settledBy: "person" | "api";
  /**
   * Sums of lines. `settledCents`: lines that are paid. `givenBackCents`: lines that failed, were given back or were
   * canceled. `dueCents`: all other lines.
   */
  readonly settledCents: number;
  readonly givenBackCents: number;
  readonly dueCents: number;
  readonly createdAt: string;
  readonly finalizedAt: string | null;
  readonly confirmedAt: string | null;
  readonly canceledAt: string | null;
  readonly paidAt: string | null;
}

export interface Payouts extends List<Payout, PageFilter> {
  /** Lists the commissions that a payout has reserved or paid. */
  commissions(payoutId: number): List<ListedCommission, PageFilter>;
  /** Lists, settles and fails the lines of a payout that is settled by API. */
  lines(payoutId: number): PayoutLines;
}
