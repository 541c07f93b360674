import type { PartnerId } from "#domain/ids.ts";
import type { TakenPlace } from "#store/former-place.ts";
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

/** Facts about the sale that is being corrected. `signals` are the signals of all its versions. */
export interface BeforeCorrection {
  readonly kept: KeptCredit | undefined;
  readonly signals: readonly SignalRow[];
  readonly keptStep: KeptStep | undefined;
  /**
   * True if the repeated refunds cover the whole sale, and another sale of the customer has the `one_time` commission.
   */
  readonly leavesPlace: boolean;
  /**
   * The sale's partner, if the sale had the customer's `one_time` commission: the only one that a policy with scope
   * `one_time` pays for a customer.
   */
  readonly placeWith: PartnerId | undefined;
  /**
   * The `one_time` commissions that the sale and its earlier versions had when they were decided. Undefined if the sale
   * had no customer.
   */
  readonly tookPlaces: readonly TakenPlace[] | undefined;
  /** True if the sale's coupon had attributed the customer, who has since been attributed again without the coupon. */
  readonly isRebound: boolean;
  /**
   * The instant (ms) of the customer's first sale among those reported before this sale. Undefined if the sale belonged
   * to another customer.
   */
  readonly firstSaleAt: number | null | undefined;
}
