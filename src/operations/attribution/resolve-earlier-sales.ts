import type { PartnerId } from "#domain/ids.ts";
import { noPartnerPolicies, type PartnerPolicies } from "#domain/policy-in-force.ts";
import type { CustomerRow, KnownCustomer } from "#store/customers.ts";
import { type Deciding, type Decision, retryWith, type SettingRef } from "../operation.ts";
import { type Credit, isCredit } from "./commission-for-sale.ts";
import { type CustomerPartner, creditOf, decidedCredit } from "./customer.ts";
import {
  allSalesOf,
  type EarlierSales,
  earlierSales,
  type FoundSales,
  fewestSalesOf,
  instantsOf,
  type MoreSales,
} from "./earlier-sales.ts";
import {
  type FollowResult,
  followCustomer,
  historyAhead,
  type PendingMove,
  policiesAtMove,
  programAtMove,
  type SaleTurn,
} from "./follow-customer.ts";
import { type FoundPolicies, type MorePolicies, newestVersion, policiesFor, policiesToRead } from "./policies.ts";
import type { ResolvedCustomer } from "./resolve-customer.ts";
import { historyOf, noSalesYet, type SalesHistory } from "./sales-history.ts";

/** The sale that the call records. */
export interface OwnSale {
  readonly occurredAt: number;
  /**
   * The partner of a corrected sale whose commission was the customer's `one_time` commission before the correction.
   */
  readonly placeWith?: PartnerId | undefined;
  decide(history: SalesHistory, policies: PartnerPolicies): SalesHistory;
}

/**
 * Reattributes or confirms the customer's sales that were recorded earlier, if this call attributes or confirms the
 * customer, or if `own`, the sale recorded now, becomes the customer's first sale and is within the attribution window.
 * Returns undefined if no sale changes.
 */
export function resolveEarlierSales(
  resolved: ResolvedCustomer,
  found: FoundSales & FoundPolicies,
  { program, context, at }: Deciding,
  own?: OwnSale,
): FollowResult | undefined | Decision<never, MoreSales & MorePolicies> {
  const { known, customer } = resolved;
  const following = followedCredit(resolved, own);
  if (known === undefined || following === undefined) return undefined;
  const { credit, move } = following;
  const upTo = move?.policyVersion;
  const asked = credit && { programId: program.id, partnerId: credit.partnerId, upTo };
  const earlier = earlierSales(found, salesThatFollow(resolved, known, own));
  if ("kind" in earlier) return alsoReading(earlier, asked ? policiesToRead(asked, context.settings) : []);
  const instants = [...instantsOf(earlier), ...(own === undefined ? [] : [own.occurredAt])];
  const policies = asked ? policiesFor({ ...asked, instants }, found, context.settings) : noPartnerPolicies;
  if ("kind" in policies) return policies;
  const programThen = move === null ? program : programAtMove(program, move);
  const isReattributing = beginsAnew(resolved, known);
  const keepsPlace = hadPlaceWith(own, credit);
  const others = isReattributing ? historyAnew(resolved, known) : historyOf(customer);
  const before: SalesHistory = keepsPlace ? { ...others, oneTime: "waiting" } : others;
  const isPending = known.movedUpTo !== null;
  const target = {
    customer: afterSale(customer, own),
    credit,
    program: programThen,
    policies: policiesAtMove(policies, move),
    policyVersion: upTo ?? newestVersion(program.id, context.settings),
    context,
    at,
    isReattributing,
    isPending,
    isRebound: resolved.isRebound,
  };
  const turn = turnOf(own, policies, keepsPlace);
  const history = isAllLater(earlier) ? historyAhead(found.sales?.found ?? [], target, before) : before;
  return followCustomer(earlier, target, history, turn);
}

const afterSale = (customer: CustomerRow, own: OwnSale | undefined): CustomerRow =>
  own === undefined
    ? customer
    : { ...customer, firstSaleAt: Math.min(customer.firstSaleAt ?? own.occurredAt, own.occurredAt) };

const turnOf = (own: OwnSale | undefined, policies: PartnerPolicies, keepsPlace: boolean): SaleTurn | undefined =>
  own && { ...own, decide: (so) => own.decide(keepsPlace ? { ...so, oneTime: undefined } : so, policies) };

/** A correction that removes a customer's sale needs many writes, so it reads only a few other sales. */
const salesThatFollow = ({ isRebound }: ResolvedCustomer, { id }: KnownCustomer, own: OwnSale | undefined) =>
  isRebound && own === undefined ? fewestSalesOf(id) : allSalesOf(id);

/**
 * True if this commit reattributes no sales, and a pending move (the stored progress of a reattribution) does so later.
 */
const isAllLater = ({ step, hasMore }: EarlierSales): boolean => hasMore && step.length === 0;

/**
 * True if the sales history is rebuilt. It isn't rebuilt if a click now attributes sales that a coupon had already
 * credited to the same partner.
 */
const beginsAnew = (
  { customer, isReattributed, isBoundByCoupon = false, isRebound = false }: ResolvedCustomer,
  { partnerId }: KnownCustomer,
): boolean => isRebound || ((isReattributed || isBoundByCoupon) && partnerId !== customer.partnerId);

/**
 * True if the corrected sale had earned the same partner's `one_time` commission, which is then reserved for its
 * replacement.
 */
const hadPlaceWith = (own: OwnSale | undefined, credit: Credit | undefined): boolean =>
  own?.placeWith !== undefined && own.placeWith === credit?.partnerId;

/**
 * If another coupon of the same partner now attributes the customer, the `one_time` commission (the only one that a
 * policy with scope `one_time` pays for a customer) stays with the sale that has it.
 */
function historyAnew({ customer, isRebound = false }: ResolvedCustomer, { partnerId }: KnownCustomer): SalesHistory {
  const none = noSalesYet(customer);
  const isKept = isRebound && partnerId !== null && partnerId === customer.partnerId;
  return isKept ? { ...none, oneTime: customer.oneTimeCommissionId ?? undefined } : none;
}

/**
 * The credit for the customer's earlier sales. A call that doesn't reattribute the customer finishes a pending move
 * with the terms that applied when the move began.
 */
function followedCredit(
  { known, customer, partner, isReattributed, isConfirmed, isBoundByCoupon = false, isRebound }: ResolvedCustomer,
  own: OwnSale | undefined,
): { readonly credit: Credit | undefined; readonly move: PendingMove | null } | undefined {
  if (known === undefined || known.firstSaleAt === null) return undefined;
  if (isRebound && customer.source !== "click") {
    return { credit: partner && decidedCredit(customer, partner), move: null };
  }
  if (partner === undefined) return undefined;
  if (isRebound && !isReattributed) {
    const credit = judgedCredit(known, customer, partner, own);
    return { credit, move: null };
  }
  // If the customer isn't attributed by a click, each sale was decided when it was recorded or when its customer was
  // attributed.
  const isSettled = known.firstAttributedSaleAt !== null || customer.source !== "click";
  const isBoundNow = isReattributed || isBoundByCoupon;
  if (isSettled && !isBoundNow && !isConfirmed) return undefined;
  const move = isBoundNow ? null : known.movedUpTo;
  const partnerThen = move === null ? partner : { ...partner, isActive: move.isPartnerActive };
  const credit = judgedCredit(known, customer, partnerThen, own);
  return credit && { credit, move };
}

/** Judges the click at the instant of the customer's first sale, which may be the sale recorded now. */
function judgedCredit(
  { firstSaleAt }: KnownCustomer,
  customer: CustomerRow,
  partner: CustomerPartner,
  own: OwnSale | undefined,
): Credit | undefined {
  const instants = [firstSaleAt, own?.occurredAt].filter((at) => at != null);
  const first = Math.min(...instants);
  const credit = creditOf(customer, partner, { firstSaleAt: first, occurredAt: own?.occurredAt ?? first });
  return credit !== undefined && isCredit(credit) ? credit : undefined;
}

const alsoReading = (decision: Decision<never, MoreSales>, needs: readonly SettingRef[]): Decision<never, MoreSales> =>
  decision.kind === "retry" ? retryWith({ ...decision.missing, needs }) : decision;
