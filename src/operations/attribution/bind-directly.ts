import type { CustomerRow, KnownCustomer } from "#store/customers.ts";
import type { Link } from "#store/settings.ts";
import type { Deciding, Decision } from "../operation.ts";
import { attributedDirectly, type DirectAttribution, decidedCredit, riskOfLink } from "./customer.ts";
import {
  type EarlierSales,
  earlierSales,
  type FoundSales,
  instantsOf,
  type MoreSales,
  salesFrom,
} from "./earlier-sales.ts";
import { type FollowResult, followCustomer } from "./follow-customer.ts";
import { type FoundPolicies, type MorePolicies, newestVersion, policiesFor } from "./policies.ts";
import { historyColumns, historyOf } from "./sales-history.ts";

export interface Bound {
  readonly customer: CustomerRow;
  /** The writes that reattribute the customer's sales. */
  readonly writes: FollowResult["writes"];
  readonly holdUntil: number | undefined;
  /**
   * The remaining commissions of the sales to reattribute, for those sales that have been read. A pending move may
   * reattribute some of them later.
   */
  readonly owed: FollowResult["owed"];
  /** The number of sales and refunds that this commit reattributes. */
  readonly followed: number;
  readonly hasMore: boolean;
}

export interface Binding {
  /** The stored customer. Undefined if the customer is new. */
  readonly known: KnownCustomer | undefined;
  readonly customer: CustomerRow;
  readonly attribution: Omit<DirectAttribution, "link"> & { readonly link: Link };
  /** The most sales and refunds, counted together, that this commit may reattribute. */
  readonly most: number;
  /** Set if the call is about many customers (at most 100), so that fewer sales are read for each. */
  readonly isOneOfMany?: true;
}

/**
 * The most sales and refunds that one commit reattributes. A pending move (a row that stores the progress) reattributes
 * the remaining ones in later commits.
 */
export const mostFollowingAtOnce = 500;

/**
 * Attributes a customer to a partner from `since` on, by an import or by a member. Sales from `since` on are
 * reattributed: at least one and at most `most` in this commit, the others later by a pending move. Earlier sales don't
 * change.
 */
export function bindDirectly(
  { known, customer, attribution, most, isOneOfMany }: Binding,
  found: FoundSales & FoundPolicies,
  deciding: Deciding,
): Bound | Decision<never, MoreSales & MorePolicies> {
  const bound = attributedDirectly(customer, attribution);
  if (known === undefined || known.firstSaleAt === null) {
    return { customer: bound, writes: [], holdUntil: undefined, owed: [], followed: 0, hasMore: false };
  }
  const wanted = { ...salesFrom(known.id, attribution.since), ...(isOneOfMany && { isFew: isOneOfMany }) };
  const earlier = earlierSales(found, wanted);
  if ("kind" in earlier) return earlier;
  const { program, context } = deciding;
  const { link } = attribution;
  const asked = { programId: program.id, partnerId: link.partnerId, instants: instantsOf(earlier), upTo: undefined };
  const policies = policiesFor(asked, found, context.settings);
  if ("kind" in policies) return policies;
  const target = {
    ...deciding,
    customer: bound,
    credit: decidedCredit(bound, {
      code: link.code,
      isActive: link.isPartnerActive,
      risk: riskOfLink(link, known, null),
    }),
    policies,
    policyVersion: newestVersion(program.id, context.settings),
    isReattributing: true,
    isPending: known.movedUpTo !== null,
  };
  const all = followCustomer(earlier, target, historyOf(bound));
  const step = stepWithin(earlier, most);
  const isWhole = step.length === earlier.step.length;
  const now = isWhole ? all : followCustomer({ ...earlier, step, hasMore: true }, target, historyOf(bound));
  return {
    customer: { ...bound, ...historyColumns(now.history) },
    writes: now.writes,
    holdUntil: now.holdUntil,
    owed: all.owed,
    followed: step.length + refundsOf(earlier, step).length,
    hasMore: earlier.hasMore,
  };
}

const refundsOf = ({ refunds }: EarlierSales, step: EarlierSales["step"]): EarlierSales["refunds"] => {
  const ids = new Set(step.map(({ sale }) => sale.id));
  return refunds.filter(({ saleId }) => ids.has(saleId));
};

/** The first sales whose number, together with that of their refunds, is within `most`. Always at least one sale. */
function stepWithin(earlier: EarlierSales, most: number): EarlierSales["step"] {
  const counts = Map.groupBy(earlier.refunds, ({ saleId }) => saleId);
  let room = most;
  const end = earlier.step.findIndex(({ sale }) => {
    room -= 1 + (counts.get(sale.id)?.length ?? 0);
    return room < 0;
  });
  return end === -1 ? earlier.step : earlier.step.slice(0, Math.max(1, end));
}
