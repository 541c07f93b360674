import { hasManyAddresses } from "#domain/address-marks.ts";
import {
  type Attribution,
  attribute,
  type Binding,
  type Candidate,
  type DirectSource,
  type FrozenBinding,
  isFinalAtOnce,
  saleWithinWindow,
} from "#domain/attribution.ts";
import type { Book } from "#domain/book.ts";
import { type AddressHashes, addressDigests, addressHashes } from "#domain/email-digest.ts";
import type { CustomerId, PartnerId, ProgramId } from "#domain/ids.ts";
import type { PartnerRisk } from "#domain/risk.ts";
import type { DecidingClick } from "#store/customer-clicks.ts";
import type { CustomerRow, KnownCustomer } from "#store/customers.ts";
import type { Link, Program } from "#store/settings.ts";
import { type Context, type Decision, type MaskedEmail, retryWith, type VerifiedClick } from "../operation.ts";
import { attributionTerms } from "./attribution-terms.ts";
import { type Credit, isOwed, type NoCredit } from "./commission-for-sale.ts";

/** Customers found for a call, with the clicks that can decide their attribution. */
export interface CustomerMatches {
  readonly customers: readonly KnownCustomer[];
  readonly clicks: readonly DecidingClick[];
}

export const isInBook = ({ programId, isTest }: VerifiedClick, book: Book): boolean =>
  programId === book.programId && isTest === book.isTest;

export const clicksInBook = (clicks: readonly VerifiedClick[], book: Book): readonly VerifiedClick[] =>
  clicks.filter((click) => isInBook(click, book) && click.linkId !== 0);

/**
 * Leaves out clicks whose links don't exist. A restore from a backup can remove links that were created after the
 * backup.
 */
export function clicksWithLinks(
  clicks: readonly VerifiedClick[],
  { programId }: Book,
  { settings }: Context,
): readonly VerifiedClick[] | Decision<never> {
  const missing = clicks.filter(({ linkId }) => settings.link(linkId) === undefined);
  if (missing.length > 0) return retryWith({ needs: missing.map(({ linkId }) => ({ kind: "link", linkId })) });
  return clicks.filter(({ linkId }) => settings.link(linkId)?.programId === programId);
}

export function customersWithClicks(
  matches: CustomerMatches,
  clicks: readonly VerifiedClick[],
): readonly KnownCustomer[] {
  const ids = new Set(clicks.map(({ clickId }) => clickId));
  const holding = new Set(matches.clicks.filter(({ clickId }) => ids.has(clickId)).map(({ customerId }) => customerId));
  return matches.customers.filter(({ id, isErased }) => holding.has(id) && !isErased);
}

/**
 * Finds the customer of a call.
 *
 * - A call with a customer key refers to the customer with that key. If none has it, the call refers to the customer
 *   without a customer key who sent one of the call's clicks, if there is only one. That customer then gets the key.
 * - A call without a customer key refers to the only customer without a customer key who sent one of the call's clicks,
 *   or else to the only customer, with or without a key, who sent one of them.
 *
 * Returns undefined for a new customer. A click that customers with other keys sent comes from a shared device. An
 * erased customer can't be found by a click, even before all of their clicks are deleted.
 */
export function findCustomer(
  matches: CustomerMatches,
  customerKey: string | null,
  clicks: readonly VerifiedClick[],
): KnownCustomer | undefined {
  const byKey = matches.customers.find((customer) => customerKey !== null && customer.customerKey === customerKey);
  if (byKey !== undefined) return byKey;
  const holders = customersWithClicks(matches, clicks);
  const [nameless, ...others] = holders.filter((holder) => holder.customerKey === null);
  if (nameless !== undefined && others.length === 0) return nameless;
  return customerKey === null && holders.length === 1 ? holders[0] : undefined;
}

/** Column values for an attribution without a click. */
export const noClick = {
  clickId: null,
  clickAt: null,
  evidence: null,
  model: null,
  windowDays: null,
  windowUntil: null,
  clickAgeDays: null,
  boundBy: null,
} as const;

/** Column values for an unattributed customer. */
export const noAttribution = {
  partnerId: null,
  source: null,
  linkId: null,
  since: null,
  boundAt: null,
  confirmedAt: null,
  reason: "no_click",
  firstAttributedSaleAt: null,
  oneTimeCommissionId: null,
} as const;

export const newCustomer = (book: Book, id: CustomerId, customerKey: string | null, at: number): CustomerRow => ({
  ...book,
  id,
  customerKey,
  ...noAttribution,
  ...noClick,
  firstSaleAt: null,
  importedFirstSaleAt: null,
  importedSubscriptionId: null,
  emailHash: null,
  similarHash: null,
  emailMask: null,
  addressMarks: null,
  isErased: false,
  erasedEvidence: null,
  createdAt: at,
});

/** True if only a browser reported the attribution. It isn't final, and other evidence may replace it. */
export const isUnconfirmed = ({ partnerId, evidence, confirmedAt }: CustomerRow): boolean =>
  partnerId !== null && evidence === "browser" && confirmedAt === null;

/**
 * True if a coupon attributes the customer and no commission is approved yet. The first approval makes the attribution
 * final.
 */
export const isOpenCoupon = ({ source, confirmedAt }: CustomerRow): boolean =>
  source === "coupon" && confirmedAt === null;

/** True if a correction has removed the sale that attributed the customer, and no other sale is attributed. */
export const hasLostItsSale = ({ boundBy, firstAttributedSaleAt }: CustomerRow): boolean =>
  boundBy === "sale" && firstAttributedSaleAt === null;

/**
 * True if the customer has a click but no attributed sale, and the click doesn't cover the customer's first sale: the
 * first known one, or the sale at `occurredAt` if that is earlier.
 */
export function isLooseAt(customer: CustomerRow, occurredAt: number): boolean {
  const binding = bindingOf(customer);
  const firstSaleAt = Math.min(customer.firstSaleAt ?? occurredAt, occurredAt);
  return customer.firstAttributedSaleAt === null && binding !== undefined && !saleWithinWindow(binding, firstSaleAt).ok;
}

export const emailColumns = (email: MaskedEmail, programId: ProgramId, hashSecret: string) => ({
  ...addressHashes(hashSecret, programId, email),
  emailMask: email.mask,
});

/** Hashes of a partner's email address. */
export const hashesOf = (
  email: string | null,
  programId: ProgramId,
  { hashSecret }: Pick<Context, "hashSecret">,
): AddressHashes | typeof noHashes =>
  email === null ? noHashes : addressHashes(hashSecret, programId, addressDigests(hashSecret, email));

const noHashes = { emailHash: null, similarHash: null } as const;

export function keyedCandidates(
  customerId: CustomerId | undefined,
  matches: CustomerMatches,
  clicks: readonly VerifiedClick[],
): readonly Candidate[] {
  const candidates = new Map<string, Candidate>();
  for (const { customerId: holder, clickId, clickAt, linkId, evidence } of matches.clicks) {
    if (holder === customerId && evidence === "key") candidates.set(clickId, { clickId, at: clickAt, linkId });
  }
  for (const { clickId, at, linkId } of clicks) candidates.set(clickId, { clickId, at, linkId });
  return [...candidates.values()];
}

export const attributeBy = (program: Program, candidates: readonly Candidate[], binding: Binding): Attribution =>
  attribute(candidates, attributionTerms(program), binding);

type Backing = Pick<CustomerRow, "evidence" | "boundAt" | "boundBy" | "confirmedAt">;

export interface AttributedClick {
  readonly attribution: Attribution & { attributed: true };
  readonly link: Pick<Link, "id" | "partnerId">;
}

/**
 * Stores the program's current attribution terms with the customer, so that later changes to the terms don't affect the
 * customer.
 */
export const attributedTo = <Customer extends CustomerRow>(
  customer: Customer,
  { attribution: { click, clickAgeDays }, link }: AttributedClick,
  backing: Backing,
  program: Program,
): Customer => ({
  ...customer,
  partnerId: link.partnerId,
  source: "click",
  linkId: link.id,
  since: null,
  clickId: click.clickId,
  clickAt: click.at,
  model: program.attributionModel,
  windowDays: program.attributionWindowDays,
  windowUntil: program.windowUntil,
  clickAgeDays,
  ...backing,
  reason: null,
});

export interface DirectAttribution {
  readonly source: DirectSource;
  /** The first link that the partner had. */
  readonly link: Pick<Link, "id" | "partnerId">;
  readonly since: number;
  readonly at: number;
}

/**
 * Attributes a customer to a partner from `since` on. Earlier sales don't change. If the customer was already
 * attributed to this partner, earlier sales credited to the partner stay in the sales history.
 */
export function attributedDirectly<Customer extends CustomerRow>(
  customer: Customer,
  { source, link, since, at }: DirectAttribution,
): Customer {
  const isPartners = customer.partnerId === link.partnerId;
  // An attribution by an import or a member is final from `at` on. A new coupon of the same partner keeps the
  // confirmation that the earlier coupon had.
  const kept = isPartners && customer.source === "coupon" ? customer.confirmedAt : null;
  return {
    ...customer,
    partnerId: link.partnerId,
    source,
    linkId: link.id,
    since,
    ...noClick,
    reason: null,
    boundAt: at,
    confirmedAt: isFinalAtOnce(source) ? at : kept,
    ...(!isPartners && { firstAttributedSaleAt: null, oneTimeCommissionId: null }),
  };
}

export const unattributed = <Customer extends CustomerRow>(
  customer: Customer,
  { reason, clickAgeDays, windowDays }: NoCredit,
): Customer => ({
  ...customer,
  reason,
  clickAgeDays: clickAgeDays ?? null,
  windowDays: windowDays ?? null,
});

export function noCreditReason(
  attribution: Attribution & { attributed: false },
  links: ReadonlyMap<string, Link> = new Map(),
): NoCredit {
  if (attribution.reason === "no_click") return { reason: attribution.reason };
  const { click, reason } = attribution;
  const link = links.get(click.clickId);
  const considered = {
    clickId: click.clickId,
    clickAt: click.at,
    partner: link === undefined ? null : { id: link.partnerId, code: link.code },
  };
  if (reason === "existing_customer") return { reason, considered };
  return { reason, clickAgeDays: attribution.clickAgeDays, windowDays: attribution.windowDays, considered };
}

export interface CustomerPartner {
  readonly code: string;
  readonly isActive: boolean;
  readonly risk: PartnerFacts;
}

/** Facts that can raise risk signals. `externalId` is compared with the customer key only later. */
interface PartnerFacts extends PartnerRisk {
  /** The partner's id in the integrator's system. If the customer's key equals it, the partner is the customer. */
  readonly externalId: string | null;
}

/** Risk facts of an attributed customer, as stored before the call. */
export const riskOfKnown = ({ referrerUrl, isPartnerExempt, partnerId, ...known }: KnownCustomer): PartnerFacts => ({
  isExempt: isPartnerExempt,
  externalId: known.partnerExternalId,
  ...addressRisk(known, partnerId),
  referrerUrl,
  hasManySources: hasManyAddresses(known.addressMarks),
});

type KnownAddresses = Pick<KnownCustomer, "addressOf" | "similarTo">;

const addressRisk = (known: KnownAddresses | undefined, partnerId: PartnerId | null) => ({
  isCustomer: partnerId !== null && (known?.addressOf?.includes(partnerId) ?? false),
  isSimilar: partnerId !== null && (known?.similarTo?.includes(partnerId) ?? false),
});

/**
 * Risk facts of the customer and the link's partner. `referrerUrl` is the referrer of the click that decides the
 * attribution.
 */
export const riskOfLink = (
  { partnerId, isPartnerExempt, partnerExternalId }: Pick<Link, "partnerId" | "isPartnerExempt" | "partnerExternalId">,
  known: (KnownAddresses & Pick<KnownCustomer, "addressMarks">) | undefined,
  referrerUrl: string | null,
): PartnerFacts => ({
  isExempt: isPartnerExempt,
  externalId: partnerExternalId,
  ...addressRisk(known, partnerId),
  referrerUrl,
  hasManySources: hasManyAddresses(known?.addressMarks ?? null),
});

const riskOfKey = ({ externalId, ...risk }: PartnerFacts, { customerKey }: CustomerRow): PartnerRisk => ({
  ...risk,
  isCustomer: risk.isCustomer || (externalId !== null && externalId === customerKey),
});

/** Undefined if the customer is unattributed. Either all attribution columns are set or none is. */
export function decidedCredit(customer: CustomerRow, partner: CustomerPartner): Credit | undefined {
  const { partnerId, source, since, clickId, evidence, model } = customer;
  if (partnerId === null || source === null) return undefined;
  const { code: partnerCode, isActive: isPartnerActive } = partner;
  const risk = riskOfKey(partner.risk, customer);
  const credited = { partnerId, partnerCode, isPartnerActive, risk, isConfirmed: !isUnconfirmed(customer) };
  if (source !== "click") return since === null ? undefined : { ...credited, source, since };
  const binding = bindingOf(customer);
  if (clickId === null || evidence === null || model === null || binding === undefined) return undefined;
  const { clickAt, windowDays, windowUntil, boundBy, boundAt } = binding;
  const clickAgeDays = customer.clickAgeDays ?? 0;
  const bound = { by: boundBy, at: boundAt };
  return { ...credited, source, clickId, clickAt, clickAgeDays, evidence, model, windowDays, windowUntil, bound };
}

type BindingColumns = Pick<CustomerRow, "clickAt" | "windowDays" | "windowUntil" | "boundAt" | "boundBy">;

export function bindingOf({
  clickAt,
  windowDays,
  windowUntil,
  boundAt,
  boundBy,
}: BindingColumns): FrozenBinding | undefined {
  if (clickAt === null || windowDays === null || windowUntil === null) return undefined;
  return boundAt === null || boundBy === null ? undefined : { clickAt, windowDays, windowUntil, boundAt, boundBy };
}

interface JudgedSale {
  /** The instant of the customer's first sale (ms), at which the click is judged. */
  readonly firstSaleAt: number;
  readonly occurredAt: number;
  /** True if the customer already has an attributed sale. The attribution window no longer applies then. */
  readonly isLocked?: boolean;
}

export function creditOf(
  customer: CustomerRow,
  partner: CustomerPartner,
  { firstSaleAt, occurredAt, isLocked = false }: JudgedSale,
): Credit | NoCredit | undefined {
  const credit = decidedCredit(customer, partner);
  if (credit === undefined) return undefined;
  if (credit.source !== "click") return isOwed(credit, occurredAt) ? credit : { reason: "no_click" };
  const { clickId, clickAt, windowDays, windowUntil, bound } = credit;
  const binding = { clickAt, windowDays, windowUntil, boundAt: bound.at, boundBy: bound.by };
  const window = saleWithinWindow(binding, firstSaleAt);
  if (window.ok || (isLocked && window.reason === "attribution_window_expired")) {
    return { ...credit, clickAgeDays: window.clickAgeDays };
  }
  const { ok, ...why } = window;
  return { ...why, considered: { clickId, clickAt, partner: { id: credit.partnerId, code: credit.partnerCode } } };
}
