import type { TributaryClient } from "../client.ts";
import type { CallOptions } from "../inputs.ts";
import type { Coupons } from "./coupons.ts";
import type { EmbedTokenInput, EmbedTokenResult } from "./embed.ts";
import type { Events } from "./events.ts";
import type {
  Balance,
  BalanceFilter,
  CommissionFilter,
  Customer,
  CustomerFilter,
  List,
  ListedCommission,
  Payouts,
} from "./lists.ts";
import type { Partners } from "./partners.ts";
import type { Sales } from "./sales.ts";
import type { SettledPayout, SettleLine } from "./settlement.ts";

/** The methods of `TributaryProgram`. Use this type, or that of one member, for test doubles. */
export interface ProgramClient extends TributaryClient {
  /** Creating and updating needs a key with the scope `manage`; lists need `read` or `manage`. */
  readonly partners: Partners;
  /** Lists start with the newest coupon and include paused ones. All methods need a key with the scope `manage`. */
  readonly coupons: Coupons;
  /**
   * Newest first. A page may be short or empty although more pages follow: use `pages`. Needs a key with the scope
   * `read`. A test key can read test customers.
   */
  readonly customers: List<Customer, CustomerFilter>;
  /** Recorded sales, newest first. Needs a key with the scope `read`. A test key can read test sales. */
  readonly sales: Sales;
  /** Commissions of live sales, newest first. Needs a key with the scope `read`, as the lists below do. */
  readonly commissions: List<ListedCommission, CommissionFilter>;
  /** The balance of each partner in each currency. Amounts are never converted. */
  readonly balances: List<Balance, BalanceFilter>;
  /** Lists start with the newest payout and include drafts and canceled payouts. */
  readonly payouts: Payouts;
  /**
   * Settles each due line of a payout that is settled by API: calls your function for the line, and reports the id that
   * the function returns. If your function has a `find`, `settlePayout` also reports settlements of lines that were
   * given back (made payable again) meanwhile. Needs a key with the scopes `read` and `settle`.
   */
  settlePayout(payoutId: number, settleLine: SettleLine): Promise<SettledPayout>;
  /** Events of the last 30 days, oldest first. A test key can read test events. */
  readonly events: Events;
  /** Needs a key with the scope `manage`. */
  createEmbedToken(person: EmbedTokenInput, options?: CallOptions): Promise<EmbedTokenResult>;
}
