import type { CallOptions, Optional } from "../inputs.ts";
import type { Failure, Success } from "../results.ts";
import type { List, PageFilter } from "./lists.ts";

export interface SaleFilter extends PageFilter {
  /** The first instant of the period. A string is ISO 8601 with an offset. */
  readonly from?: Optional<Date | string>;
  /** The end of the period, exclusive. */
  readonly to?: Optional<Date | string>;
  /** True: test sales. Required for a test key. */
  readonly testMode?: Optional<boolean>;
}

/**
 * A recorded sale. Amounts are in the smallest unit of `currency`. A corrected sale has the figures of its newest
 * version.
 */
export interface SaleFigures {
  /** The sale's `invoiceId`. In a list, the id with which the sale was first reported. */
  readonly transactionId: string;
  /** The amount before refunds. */
  readonly amountCents: number;
  readonly currency: string;
  readonly refundedCents: number;
  /** ISO 8601. */
  readonly occurredAt: string;
  /** Null if the sale isn't attributed. */
  readonly partnerCode: string | null;
}

export interface SalesFound {
  /** The recorded sales, each with the id that you asked for. */
  readonly found: readonly SaleFigures[];
  /** The ids that aren't recorded. */
  readonly absent: readonly string[];
}

export type SalesFoundResult = Success<SalesFound> | Failure;

export interface LookupOptions extends CallOptions {
  /** True: test sales. Required for a test key. */
  readonly testMode?: Optional<boolean>;
}

/** A page has at most 500 sales. */
export interface Sales extends List<SaleFigures, SaleFilter> {
  /** Returns which of up to 500 `invoiceId`s are recorded. */
  lookup(invoiceIds: readonly string[], options?: LookupOptions): Promise<SalesFoundResult>;
}

/** Throws a `TypeError` for an argument of the wrong type. */
export function lookupBody(invoiceIds: unknown, testMode: unknown): object {
  if (!Array.isArray(invoiceIds)) throw new TypeError("sales.lookup needs an array of ids");
  if (testMode != null && typeof testMode !== "boolean") throw new TypeError("sales.testMode must be true or false");
  return { transaction_ids: invoiceIds, ...(testMode && { test_mode: true }) };
}
