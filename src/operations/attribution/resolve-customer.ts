import {
  besidesDecided,
  type Candidate,
  type ClickVerdict,
  isDirect,
  type JudgedClick,
  judgeClick,
} from "#domain/attribution.ts";
import { type Book, bookKey } from "#domain/book.ts";
import type { CustomerId } from "#domain/ids.ts";
import { saveCustomerClick, setClicksAnonymous } from "#store/customer-clicks.ts";
import {
  type CustomerRow,
  changeCustomer,
  insertCustomer,
  type KnownCustomer,
  lowerFirstSale,
} from "#store/customers.ts";
import { setLeadExplanation, setLeadKey, setLeadMove, updateLeadOfCustomer } from "#store/leads.ts";
import type { Referrers } from "#store/referrers.ts";
import type { Link, Program } from "#store/settings.ts";
import { raiseOwnPurchasesOf } from "#store/signals.ts";
import type { Write } from "#store/statement.ts";
import {
  type Call,
  type Context,
  type Deciding,
  type Decision,
  type Locks,
  retryWith,
  type VerifiedClick,
} from "../operation.ts";
import { attributeByKey, boundBefore, isOutdated } from "./attribute-by-key.ts";
import { attributionTerms } from "./attribution-terms.ts";
import type { NoCredit } from "./commission-for-sale.ts";
import {
  attributedTo,
  type CustomerMatches,
  type CustomerPartner,
  findCustomer,
  hasLostItsSale,
  isLooseAt,
  isOpenCoupon,
  isUnconfirmed,
  newCustomer,
  noCreditReason,
  riskOfKnown,
  riskOfLink,
  unattributed,
} from "./customer.ts";
import { clickOfCustomer, frozenLead, judgeClicks, judgedClick, type SentClicks } from "./judged-clicks.ts";

export interface CustomerClaim extends SentClicks {
  readonly book: Book;
  /** The customer of the call's subscription, if the call has no key or click that identifies one. */
  readonly customer?: KnownCustomer | undefined;
  readonly customerKey: string | null;
  readonly sentClickId: boolean;
  readonly occurredAt: number;
  /**
   * True for a sale. A click must be older than the sale to attribute it. If a call with a program key has attributed
   * the customer by a click, a sale doesn't replace that click, unless it doesn't cover the customer's first sale.
   */
  readonly isSale: boolean;
  /** Referrers of the call's clicks. Undefined if the clicks serve only to identify the customer. */
  readonly referrers: Referrers | undefined;
}

export interface ResolvedCustomer {
  readonly kind: "resolved";
  readonly known: KnownCustomer | undefined;
  readonly customer: CustomerRow;
  readonly partner: CustomerPartner | undefined;
  readonly isReattributed: boolean;
  readonly isConfirmed: boolean;
  /**
   * `isBoundByCoupon`: the sale's own coupon attributed the customer. `isRebound`: a correction removed the sale whose
   * coupon had attributed the customer, so the attribution was decided again, possibly with no partner.
   */
  readonly isBoundByCoupon?: boolean;
  readonly isRebound?: boolean;
  /** The reason if the sale is unattributed because none of this call's clicks attributes it. */
  readonly noCredit: NoCredit;
  /** The click that attributes the customer, and the clicks that the call sent, each with its verdict. */
  readonly judged: readonly JudgedClick[];
}

export function resolveCustomer(
  claim: CustomerClaim,
  matches: CustomerMatches,
  deciding: Deciding,
): ResolvedCustomer | Decision<never> {
  const { book, customerKey, clicks } = claim;
  const { program, context } = deciding;
  const { settings } = context;
  const known = claim.customer ?? findCustomer(matches, customerKey, clicks);
  const before = known ?? newCustomer(book, context.newId("customers"), customerKey, deciding.at);
  const unchanged = {
    kind: "resolved",
    known,
    customer: { ...before, customerKey: before.customerKey ?? customerKey },
    partner: known?.partnerCode
      ? { code: known.partnerCode, isActive: known.isPartnerActive, risk: riskOfKnown(known) }
      : undefined,
    isReattributed: false,
    isConfirmed: false,
    noCredit: { reason: "no_click" },
    judged: judgeBeside(before, claim, keptVerdict(before, program), settings, [
      clickOfCustomer(before, known?.partnerCode, "chosen"),
    ]),
  } as const;
  if (clicks.length > 0 && mayBeAttributed(before, claim)) {
    return attributeCustomer(claim, matches, unchanged, deciding);
  }
  const noCredit = whyUnattributed(claim, known);
  const { customer } = unchanged;
  return { ...unchanged, customer: known === undefined ? unattributed(customer, noCredit) : customer, noCredit };
}

function attributeCustomer(
  claim: CustomerClaim,
  matches: CustomerMatches,
  unchanged: ResolvedCustomer,
  { program, context, at }: Deciding,
): ResolvedCustomer | Decision<never> {
  const before = unchanged.customer;
  const { attribution, binding } = attributeByKey(claim, before, matches, program);
  const verdictOn = (click: Candidate) => judgeClick(click, attribution, attributionTerms(program), binding);
  const keptClick = (outcome: "chosen" | "unconfirmed") => clickOfCustomer(before, unchanged.partner?.code, outcome);
  if (!attribution.attributed) {
    if (hasLostItsSale(before)) return unchanged;
    const noCredit = noCreditReason(attribution, linksOf(claim.clicks, context));
    const judged = judgeBeside(before, claim, verdictOn, context.settings, [keptClick("chosen")]);
    const customer = before.partnerId === null ? unattributed(before, noCredit) : before;
    return { ...unchanged, customer, noCredit, judged };
  }
  if (isOutdated(attribution.click, before, program, binding.firstSaleAt)) return unchanged;

  const { linkId, clickId } = attribution.click;
  const link = context.settings.link(linkId);
  if (!link) return retryWith({ needs: [{ kind: "link", linkId }] });
  const isConfirmed = isUnconfirmed(before) && link.partnerId === before.partnerId;
  const backing = {
    evidence: "key",
    ...boundBefore(before, clickId, binding),
    confirmedAt: before.confirmedAt ?? at,
  } as const;
  const displaced = isUnconfirmed(before) && before.clickId !== clickId ? keptClick("unconfirmed") : undefined;
  const taken = judgedClick(attribution.click, verdictOn(attribution.click), context.settings);
  return {
    ...unchanged,
    judged: judgeClicks(claim, verdictOn, context.settings, [taken, displaced]),
    customer: attributedTo(before, { attribution, link }, backing, program),
    partner: {
      code: link.code,
      isActive: link.isPartnerActive,
      risk: riskOfLink(link, unchanged.known, referrerOf(clickId, claim, matches)),
    },
    isReattributed: !isConfirmed && (clickId !== before.clickId || link.partnerId !== before.partnerId),
    isConfirmed,
  };
}

const referrerOf = (clickId: string, { referrers }: CustomerClaim, { clicks }: CustomerMatches): string | null =>
  referrers?.[clickId] ?? clicks.find((shown) => shown.clickId === clickId)?.referrerUrl ?? null;

/**
 * Judges the clicks of a call that doesn't change the attribution. If the customer is attributed without a click, no
 * click is judged.
 */
const judgeBeside = ({ source }: CustomerRow, ...given: Parameters<typeof judgeClicks>): readonly JudgedClick[] =>
  isDirect(source) ? [] : judgeClicks(...given);

/** The verdict on a click of a call that doesn't change the customer's attribution. */
const keptVerdict =
  ({ clickId: kept, clickAt, model }: CustomerRow, { attributionModel }: Program) =>
  ({ clickId, at }: Candidate): ClickVerdict => ({
    outcome: clickId === kept ? "chosen" : besidesDecided(at, clickAt ?? at, model ?? attributionModel),
  });

function linksOf(clicks: readonly VerifiedClick[], { settings }: Context): ReadonlyMap<string, Link> {
  const links = new Map<string, Link>();
  for (const { clickId, linkId } of clicks) {
    const link = settings.link(linkId);
    if (link) links.set(clickId, link);
  }
  return links;
}

/**
 * True if this call's clicks may change the attribution. An attribution by a click becomes final with the first
 * attributed sale, unless only a browser reported the click. An attribution by a coupon becomes final with the first
 * approval.
 */
export function mayBeAttributed(
  before: CustomerRow,
  { isSale, occurredAt }: Pick<CustomerClaim, "isSale" | "occurredAt">,
): boolean {
  if (isUnconfirmed(before) || isOpenCoupon(before)) return true;
  if (isDirect(before.source)) return false;
  if (before.firstAttributedSaleAt !== null) return false;
  return !isSale || before.partnerId === null || isLooseAt(before, occurredAt);
}

function whyUnattributed({ clicks, sentClickId, isSale }: CustomerClaim, known: KnownCustomer | undefined): NoCredit {
  if (sentClickId && clicks.length === 0) return { reason: "invalid_click_id" };
  if (known === undefined) return { reason: isSale ? "customer_not_found" : "no_click" };
  const { reason, clickAgeDays, windowDays } = known;
  if (reason === "existing_customer") return { reason };
  if (reason !== "attribution_window_expired") return { reason: "no_click" };
  return { reason, clickAgeDays: clickAgeDays ?? undefined, windowDays: windowDays ?? undefined };
}

interface CustomerCall extends Pick<Call, "operationId" | "at"> {
  readonly clicks: readonly VerifiedClick[];
  readonly program: Program;
}

export function writesForCustomer(
  resolved: ResolvedCustomer,
  customer: CustomerRow,
  matches: CustomerMatches,
  { clicks, operationId, program, at }: CustomerCall,
): readonly Write[] {
  const { known, partner, isReattributed, isConfirmed, judged } = resolved;
  const shown = new Set(
    matches.clicks
      .filter(({ customerId, evidence }) => customerId === customer.id && evidence === "key")
      .map(({ clickId }) => clickId),
  );
  const kept = clicks
    .filter(({ clickId }) => !shown.has(clickId))
    .map(({ clickId, linkId, at: clickAt }) =>
      saveCustomerClick({
        ...clickOwner(customer),
        clickId,
        linkId,
        clickAt,
        evidence: "key",
        hasSettledInBrowser: false,
        shownAt: at,
      }),
    );
  if (known === undefined) return [insertCustomer(customer), ...kept];
  if (isEarlierOnly(known, customer))
    return [...kept, lowerFirstSale({ customerId: customer.id, at: customer.firstSaleAt })];
  const customerId = customer.id;
  const isNamed = known.customerKey !== customer.customerKey;
  const isDecided = isReattributed || isConfirmed;
  return [
    ...changeCustomer(known, customer),
    ...kept,
    ...(isNamed ? [setClicksAnonymous({ customerId, isAnonymous: false })] : []),
    ...(isDecided || (isNamed && customer.source !== "coupon")
      ? [updateLeadOfCustomer(leadColumns(customer, partner))]
      : []),
    // The partner of a coupon isn't credited with the lead, so only the lead's customer key is set.
    ...(isNamed && !isDecided && customer.source === "coupon"
      ? [setLeadKey({ customerId, customerKey: customer.customerKey })]
      : []),
    ...(isDecided
      ? [setLeadExplanation({ customerId, explanation: frozenLead({ judged, customer }, program, at) })]
      : []),
    ...(isReattributed ? [setLeadMove({ customerId, movedOperationId: operationId })] : []),
  ];
}

/**
 * True if the call can raise signals for earlier sales by its key (see `raisedByKey`). They can hold approved
 * commissions, which lowers the payable amount.
 */
export const mayRaiseByKey = (
  { isTest, customerKey }: { readonly isTest: boolean; readonly customerKey: string | null },
  known: readonly Pick<KnownCustomer, "customerKey" | "firstSaleAt">[],
): boolean =>
  !isTest && customerKey !== null && known.some((each) => each.customerKey === null && each.firstSaleAt !== null);

/**
 * If this call is the first to report the customer's key, and the key equals the partner's external id, raises signals
 * for the customer's earlier sales.
 */
export function raisedByKey(
  { known, partner }: ResolvedCustomer,
  { id: customerId, customerKey }: CustomerRow,
  at: number,
): readonly Write[] {
  if (known === undefined || known.firstSaleAt === null || known.customerKey === customerKey) return [];
  const isPartner = known.partnerExternalId === customerKey || partner?.risk.externalId === customerKey;
  return isPartner ? raiseOwnPurchasesOf({ customerId, at }) : [];
}

export const clickOwner = ({ id, customerKey }: CustomerRow) => ({ customerId: id, isAnonymous: customerKey === null });

export const leadColumns = (customer: CustomerRow, partner: Pick<CustomerPartner, "code"> | undefined) => ({
  customerId: customer.id,
  customerKey: customer.customerKey,
  evidence: customer.evidence ?? "key",
  partnerId: customer.partnerId,
  partnerCode: customer.partnerId === null ? null : (partner?.code ?? null),
  clickId: customer.clickId,
  reason: customer.reason,
  clickAgeDays: customer.clickAgeDays,
  windowDays: customer.windowDays,
});

/**
 * True if only the instant of the customer's first sale changes, to an earlier one. Calls that share the customer's
 * lock may lower this instant in any order.
 */
function isEarlierOnly(known: KnownCustomer, customer: CustomerRow): customer is CustomerRow & { firstSaleAt: number } {
  const { firstSaleAt } = customer;
  const isEarlier = firstSaleAt !== null && known.firstSaleAt !== null && firstSaleAt < known.firstSaleAt;
  return isEarlier && isSame({ ...known, firstSaleAt }, customer);
}

const isSame = (known: KnownCustomer, customer: CustomerRow): boolean =>
  (Object.keys(customer) as (keyof CustomerRow)[]).every((column) => known[column] === customer[column]);

export const transactionLock = (book: Book, transactionId: string): string =>
  `${bookKey(book)} transaction ${transactionId}`;

/**
 * Held by calls with a subscription, because the next payment of a subscription is attributed to the customer of the
 * subscription's newest sale or import.
 */
export const subscriptionLock = (book: Book, subscriptionId: string): string =>
  `${bookKey(book)} subscription ${subscriptionId}`;

export const customerKeyLock = (book: Book, customerKey: string): string => `${bookKey(book)} customer ${customerKey}`;

export const customerLock = (customerId: CustomerId): string => `customer #${customerId}`;

/** Leaves out customers who sent the same click but have another customer key. */
export const customersMeant = (customers: readonly KnownCustomer[], customerKey: string | null) =>
  customerKey === null
    ? customers
    : customers.filter((customer) => customer.customerKey === null || customer.customerKey === customerKey);

/**
 * Locks the call's customer key, its clicks, and the customers found by them. If a call with a program key and a
 * customer key finds only customers who have a customer key, it locks its clicks only in shared mode. Its decision then
 * depends only on the fact that no customer without a customer key sent these clicks.
 */
export function customerLocks(
  book: Book,
  { key, customerKey }: { readonly key?: unknown; readonly customerKey: string | null },
  clicks: readonly VerifiedClick[],
  customers: readonly KnownCustomer[],
): Locks & { readonly shared: readonly string[] } {
  const clickLocks = clicks.map(({ clickId }) => `click ${clickId}`);
  const meant = customersMeant(customers, customerKey);
  const idLocks = meant.map(({ id }) => customerLock(id));
  if (customerKey === null) return { exclusive: [...clickLocks, ...idLocks], shared: [] };

  const named = customerKeyLock(book, customerKey);
  const isAlone = key !== undefined && meant.every((customer) => customer.customerKey !== null);
  return isAlone
    ? { exclusive: [named, ...idLocks], shared: clickLocks }
    : { exclusive: [named, ...clickLocks, ...idLocks], shared: [] };
}
