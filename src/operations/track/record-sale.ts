import { earliest } from "#domain/calendar.ts";
import type { CustomerId, PartnerId } from "#domain/ids.ts";
import { noPartnerPolicies } from "#domain/policy-in-force.ts";
import { kindOfId, reviewEndOf } from "#domain/signals.ts";
import { buyerByKey, buyerOfSubscription, buyersByKeyOrClicks } from "#store/buyers.ts";
import { type CouponOfCode, formerPartnersOf as readFormerPartners } from "#store/coupons.ts";
import { decidingClicks, decidingClicksOf } from "#store/customer-clicks.ts";
import type { CustomerRow, KnownCustomer } from "#store/customers.ts";
import { readSaleOfCall } from "#store/sale-of-call.ts";
import { type RecordedSale, saleOfSubscription } from "#store/sales.ts";
import { amountLocks, earlierAmountLocks } from "../attribution/amount-locks.ts";
import { type Credit, isCredit, type NoCredit } from "../attribution/commission-for-sale.ts";
import { couponCodesOf, couponsOfSale, type MoreOfCoupon, readCoupons } from "../attribution/coupon.ts";
import { clicksWithLinks, riskOfKnown } from "../attribution/customer.ts";
import { earlierSales, type MoreSales, oneTimeCandidates, readWaitingSales } from "../attribution/earlier-sales.ts";
import { type FollowResult, frozenAtMove, historyWithPending } from "../attribution/follow-customer.ts";
import { invalidClicks, invalidIds } from "../attribution/judged-clicks.ts";
import { type MorePolicies, policiesFor, policiesOfProgram, readPoliciesThen } from "../attribution/policies.ts";
import {
  customerLock,
  customerLocks,
  customersMeant,
  mayBeAttributed,
  mayRaiseByKey,
  type ResolvedCustomer,
  raisedByKey,
  resolveCustomer,
  subscriptionLock,
  transactionLock,
  writesForCustomer,
} from "../attribution/resolve-customer.ts";
import { type OwnSale, resolveEarlierSales } from "../attribution/resolve-earlier-sales.ts";
import {
  historyAfter,
  historyColumns,
  historyOf,
  historyWithPlaceFree,
  noSales,
} from "../attribution/sales-history.ts";
import { couponsLock, payoutLock } from "../locks.ts";
import {
  type Commit,
  type Deciding,
  type Decision,
  type Gathered,
  type Operation,
  refuse,
  retryWith,
  type VerifiedClick,
} from "../operation.ts";
import { namesOfCall } from "../privacy/renamed.ts";
import type { BeforeCorrection } from "./before-correction.ts";
import { identifyingSubscription, isIndependent, subscriberMeant, validClicks } from "./buyer.ts";
import { creditSale } from "./credit-sale.ts";
import { commitOf, type PlannedSale, planSale } from "./plan-sale.ts";
import {
  bookOf,
  decideRepeatedSale,
  type JudgedSale,
  judgeRenewal,
  readEarlierPayment,
  type SaleAnswer,
  type SaleCall,
} from "./sale.ts";

export interface MoreOfSale extends MoreSales, MorePolicies, MoreOfCoupon {
  /** Reads the clicks of a customer whom only the subscription identifies. */
  readonly clicksOf: CustomerId;
}

function gather(call: SaleCall, { salesOf, policiesThen, formerPartnersOf, clicksOf }: Partial<MoreOfSale>) {
  const book = bookOf(call);
  const clicks = validClicks(call);
  const mentioned = {
    ...book,
    customerKey: call.customerKey,
    clickIds: JSON.stringify(clicks.map(({ clickId }) => clickId)),
  };
  const { subscriptionId, transactionId, amountCents, currency, occurredAt } = call;
  const { clickIds } = mentioned;
  const sale = {
    transactionId,
    amountCents,
    currency,
    occurredAt,
    idKind: kindOfId(transactionId),
    corrects: call.corrects?.saleId ?? null,
  };
  const identifying = identifyingSubscription(call);
  return {
    ...readSaleOfCall({ ...book, transactionId, clickIds }),
    customers:
      clicks.length === 0 ? buyerByKey({ ...mentioned, ...sale }) : buyersByKeyOrClicks({ ...mentioned, ...sale }),
    clicks: clicks.length === 0 ? undefined : decidingClicks({ ...mentioned, occurredAt, isSale: true }),
    subscriberClicks:
      clicksOf === undefined
        ? undefined
        : decidingClicksOf({ customerId: clicksOf, clickIds, occurredAt, isSale: true }),
    subscription: identifying === null ? undefined : saleOfSubscription({ ...book, subscriptionId: identifying }),
    subscriber: subscriptionId === null ? undefined : buyerOfSubscription({ ...book, ...sale, subscriptionId }),
    earlierPayment: readEarlierPayment(call),
    coupons: readCoupons(call, book.programId),
    formerPartners: formerPartnersOf === undefined ? undefined : readFormerPartners(formerPartnersOf),
    ...(salesOf && readWaitingSales(salesOf)),
    ...(policiesThen && readPoliciesThen(book.programId, policiesThen)),
  };
}
export type FoundForSale = Gathered<ReturnType<typeof gather>>;
type Found = FoundForSale;

export const recordSale: Operation<SaleCall, ReturnType<typeof gather>, SaleAnswer, MoreOfSale> = {
  kind: "sale",
  lane: "money",
  needs: (call) => [
    { kind: "program", programId: call.key.programId },
    policiesOfProgram(call.key.programId),
    ...validClicks(call).map(({ linkId }) => ({ kind: "link", linkId }) as const),
  ],

  gather,

  names: namesOfCall(bookOf),

  locks(call, found) {
    const book = bookOf(call);
    const transaction = transactionLock(book, call.transactionId);
    if (found.recorded !== undefined) {
      const { customerId } = found.recorded.sale;
      return { exclusive: [], shared: customerId === null ? [transaction] : [transaction, customerLock(customerId)] };
    }
    const { exclusive, shared } = customerLocks(book, call, validClicks(call), found.customers);
    const ofSubscription = call.subscriptionId === null ? [] : [subscriptionLock(book, call.subscriptionId)];
    const subscriber = subscriberMeant(call, found);
    const ofSubscriber = subscriber === undefined ? [] : [customerLock(subscriber.id)];
    const meant = customersMeant(found.customers, call.customerKey);
    const known = subscriber === undefined ? meant : [...meant, subscriber];
    const amounts = [...new Set(known.flatMap((each) => amountLocks(each, call)))];
    // Sales whose transaction ids are of an unknown kind lock the amount in shared mode only, because two such sales
    // with the same amount are more likely to be separate purchases.
    const isOfKind = kindOfId(call.transactionId) !== "";
    const own = [transaction, ...ofSubscription, ...(isOfKind ? amounts : [])];
    const ofCoupons = couponCodesOf(call).length > 0 ? [couponsLock(book.programId)] : [];
    const payouts = mayRaiseByKey(call, known) ? [payoutLock(book.programId)] : [];
    const earlier = earlierAmountLocks(found.sales, known);
    const others = [...shared, ...ofCoupons, ...payouts, ...earlier, ...(isOfKind ? [] : amounts)];
    const ofCustomer = [...exclusive, ...ofSubscriber];
    return isIndependent(call, found)
      ? { exclusive: own, shared: [...ofCustomer, ...others] }
      : { exclusive: [...own, ...ofCustomer], shared: others };
  },

  decide(call, found, context) {
    const program = context.settings.program(call.key.programId);
    if (!program) return refuse({ code: "invalid_key" });
    if (found.recorded !== undefined) return decideRepeatedSale(call, found.recorded, program);
    if (call.placeholder !== undefined) return refuse({ code: "placeholder_id", field: call.placeholder });
    const isUnknown =
      identifyingSubscription(call) !== null && found.subscription === undefined && found.subscriber === undefined;
    if (isUnknown && !call.isTest) return refuse({ code: "unknown_subscription" });
    return decideNewSale(call, found, { program, context, at: call.at });
  },
};

export interface NewSale extends Commit<SaleAnswer> {
  readonly recorded: RecordedSale;
  /** The customer after the sale. Undefined if the sale has none. */
  readonly customer: CustomerRow | undefined;
  readonly customerBefore: CustomerRow | undefined;
}

export function decideNewSale(
  call: SaleCall,
  found: Found,
  deciding: Deciding,
  before?: BeforeCorrection,
): Decision<never, MoreOfSale> | NewSale {
  const clicks = clicksWithLinks(validClicks(call), bookOf(call), deciding.context);
  if ("kind" in clicks) return clicks;
  const subscriber = subscriberMeant(call, found);
  const { all, counting: coupon } = couponsOfSale(call, found.coupons);
  const judged = {
    ...call,
    coupons: all.length === 0 ? null : JSON.stringify(all),
    ...judgeRenewal(call, found.earlierPayment),
  };
  const isAnonymous = call.customerKey === null && clicks.length === 0 && subscriber === undefined;
  // A coupon can attribute the new customer of an anonymous sale. If the sale's subscription is known, the customer has
  // bought before, so no coupon can attribute them.
  return isAnonymous && (coupon === undefined || found.subscription !== undefined)
    ? planAnonymousSale(judged, deciding)
    : decideCustomerSale({ call: judged, clicks, subscriber, coupon, before }, found, deciding);
}

function planAnonymousSale(call: JudgedSale, deciding: Deciding): NewSale {
  const reason = call.sentClickId ? "invalid_click_id" : "customer_not_found";
  const judged = call.sentClickId ? invalidClicks(invalidIds(call, [])) : undefined;
  const planned = planSale(
    call,
    undefined,
    { credit: { reason }, history: noSales, judged, policies: noPartnerPolicies },
    deciding,
  );
  const { recorded, writes, holdUntil } = planned;
  return { ...commitOf(planned, writes, holdUntil), recorded, customer: undefined, customerBefore: undefined };
}

interface CustomerSale {
  readonly call: JudgedSale;
  readonly clicks: readonly VerifiedClick[];
  readonly subscriber: KnownCustomer | undefined;
  readonly coupon: CouponOfCode | undefined;
  readonly before: BeforeCorrection | undefined;
}

function decideCustomerSale(
  { call, clicks, subscriber: customer, coupon, before }: CustomerSale,
  found: Found,
  deciding: Deciding,
): Decision<never, MoreOfSale> | NewSale {
  const { customerKey, sentClickId, occurredAt, operationId } = call;
  if (
    customer !== undefined &&
    isToDecideByClicks(customer, { call, clicks }) &&
    found.subscriberClicks === undefined
  ) {
    return retryWith({ clicksOf: customer.id });
  }
  const matches = { customers: found.customers, clicks: [...(found.clicks ?? []), ...(found.subscriberClicks ?? [])] };
  const shown = { clicks, invalidClickIds: invalidIds(call, clicks), sentClickId, referrers: found.referrers };
  const claim = { book: bookOf(call), customer, customerKey, ...shown, occurredAt, isSale: true };
  const byClicks = resolveCustomer(claim, matches, deciding);
  if (byClicks.kind !== "resolved") return byClicks;
  const kept = before?.kept;
  const credited = creditSale(
    {
      coupon,
      kept: kept?.credit,
      resolved: byClicks,
      occurredAt,
      firstSaleAt: before?.firstSaleAt,
      isCorrection: before !== undefined,
    },
    found.formerPartners,
    deciding,
  );
  if ("kind" in credited) return credited;
  const { credit } = credited;
  const resolved = { ...credited.resolved, isRebound: before?.isRebound ?? false };
  const judged = sentClickId ? resolved.judged : undefined;
  let planned: PlannedSale | undefined;
  const own: OwnSale = {
    occurredAt,
    placeWith: before?.placeWith,
    decide(history, policies) {
      const nearby = resolved.known?.nearbySale ?? undefined;
      const carried = before?.signals.filter(({ partnerId }) => isStillNamed(partnerId, credit)) ?? [];
      const hadPlace = isCredit(credit) && before !== undefined && hadPlaceWith(credit, resolved.customer, before);
      const decidedBy = kept?.history ?? (hadPlace ? historyWithPlaceFree(history) : history);
      const own = { credit, history: decidedBy, judged, policies, nearby, carried, keptStep: before?.keptStep };
      planned = planSale(call, resolved.customer, own, deciding);
      if (!isCredit(credit) || (kept && kept.credit.partnerId !== resolved.customer.partnerId)) return history;
      const after = historyAfter(history, { occurredAt }, planned.recorded.commission);
      return kept === undefined && before?.leavesPlace ? { ...after, oneTime: history.oneTime } : after;
    },
  };
  const partnerId = kept?.credit.partnerId ?? resolved.customer.partnerId;
  const followed =
    resolveEarlierSales(resolved, found, deciding, own) ??
    decideAlone({ ...own, partnerId }, resolved, found, deciding);
  if ("kind" in followed) return followed;
  if (planned === undefined) throw new Error("the sale was not decided among its customer's sales");
  const after: CustomerRow = {
    ...resolved.customer,
    ...historyColumns(followed.history),
    firstSaleAt: Math.min(resolved.customer.firstSaleAt ?? occurredAt, occurredAt),
  };
  const { program, at } = deciding;
  const ofCustomer = writesForCustomer(resolved, after, matches, { clicks, operationId, program, at });
  const raised = raisedByKey(resolved, after, at);
  // The database layer combines statements with the same SQL. Some of `followed.writes` can't be combined, so they
  // follow the writes of the sale.
  const writes = [...ofCustomer, ...planned.writes, ...followed.writes, ...raised];
  const reviewedUntil = raised.length === 0 ? null : reviewEndOf(program, at);
  const holdUntil = earliest(planned.holdUntil, followed.holdUntil, reviewedUntil ?? undefined);
  const commit = commitOf(planned, writes, holdUntil);
  return { ...commit, recorded: planned.recorded, customer: after, customerBefore: resolved.customer };
}

/**
 * True if the clicks of the subscription's customer must be read, because clicks may decide the attribution. The first
 * read returned only the clicks of the customer whom the call identifies.
 */
const isToDecideByClicks = (
  customer: KnownCustomer,
  { call, clicks }: Pick<CustomerSale, "call" | "clicks">,
): boolean =>
  clicks.length > 0 &&
  call.corrects === undefined &&
  mayBeAttributed(customer, { isSale: true, occurredAt: call.occurredAt });

const isStillNamed = (partnerId: PartnerId | null, credit: Credit | NoCredit): boolean =>
  partnerId === null || (isCredit(credit) && credit.partnerId === partnerId);

const hadPlaceWith = (
  { partnerId }: Credit,
  { id }: CustomerRow,
  { placeWith, tookPlaces }: BeforeCorrection,
): boolean =>
  partnerId === placeWith ||
  (tookPlaces?.some((place) => place.customerId === id && place.partnerId === partnerId) ?? false);

function decideAlone(
  own: OwnSale & { readonly partnerId: PartnerId | null },
  resolved: ResolvedCustomer,
  found: Found,
  { program, context }: Deciding,
): FollowResult | Decision<never, MoreSales & MorePolicies> {
  const { customer } = resolved;
  const pending = pendingSales(resolved, found);
  if (pending !== undefined && "kind" in pending) return pending;
  const upTo = pending?.move.policyVersion;
  const instants = [own.occurredAt, ...(pending?.waiting.map(({ occurredAt }) => occurredAt) ?? [])];
  const policies =
    own.partnerId === null
      ? noPartnerPolicies
      : policiesFor({ programId: program.id, partnerId: own.partnerId, instants, upTo }, found, context.settings);
  if ("kind" in policies) return policies;
  const before = historyOf(customer);
  const history =
    pending === undefined
      ? before
      : historyWithPending(
          before,
          pending.waiting,
          frozenAtMove(customer, pending.partner, pending.move, { program, policies }),
        );
  return { writes: [], sales: [], owed: [], history: own.decide(history, policies), holdUntil: undefined };
}

/**
 * Sales that a pending move (unfinished reattribution) still has to reattribute, which may have reserved the `one_time`
 * commission. Undefined if none can.
 */
function pendingSales({ customer, known }: ResolvedCustomer, found: Found) {
  const move = known?.movedUpTo;
  if (!move || !known.isOneTimeWaiting || historyOf(customer).oneTime !== undefined) return undefined;
  const { afterOccurredAt, afterSaleId } = move;
  const behind = earlierSales(found, { customerId: known.id, afterOccurredAt, afterSaleId });
  return "kind" in behind
    ? behind
    : {
        move,
        partner: { code: known.partnerCode ?? "", risk: riskOfKnown(known) },
        waiting: [...oneTimeCandidates(behind.step), ...behind.waiting],
      };
}
