import type { PartnerId } from "#domain/ids.ts";
import type { SignalRow } from "#store/signals.ts";
import type { Credit } from "../attribution/commission-for-sale.ts";
import type { SalesHistory } from "../attribution/sales-history.ts";
import type { KeptStep } from "../attribution/step-of-sale.ts";

/** The credit that a corrected sale keeps. Later attributions of the customer don't affect it. */
export interface KeptCredit {
  readonly credit: Credit;
  /** The history of the customer's sales credited to that partner. */
  readonly history: SalesHistory;
}

/** Facts about the sale that is being corrected. `signals` are those of the sale and of its earlier versions. */
export interface BeforeCorrection {
  readonly kept: KeptCredit | undefined;
  readonly signals: readonly SignalRow[];
  readonly keptStep: KeptStep | undefined;
  /** True if the repeated refunds cover the whole sale, and the customer's `one_time` commission is another sale's. */
  readonly leavesPlace: boolean;
  /** The sale's partner, if it had the customer's only commission by a policy with scope `one_time`. */
  readonly placeWith: PartnerId | undefined;
  /** True if the sale's coupon had attributed the customer, who was attributed again without it. */
  readonly isRebound: boolean;
  /** The customer's first sale (ms) reported before it. Undefined if the sale belonged to another customer. */
  readonly firstSaleAt: number | null | undefined;
}
