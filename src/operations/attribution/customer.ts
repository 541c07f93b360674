import { createHmac } from "node:crypto";
import {
  type Attribution,
  attribute,
  type Binding,
  type Bond,
  type Candidate,
  saleWithinWindow,
} from "../../domain/attribution.ts";
import type { Book } from "../../domain/book.ts";
import type { CustomerClickRow } from "../../store/customer-clicks.ts";
import type { CustomerRow, KnownCustomer } from "../../store/customers.ts";
import type { Link, Program } from "../../store/settings.ts";
import { type Context, type Decision, type MaskedEmail, retryWith, type VerifiedClick } from "../operation.ts";
import type { Credit, NoCredit } from "./commission-for-sale.ts";

/** The customers that a call may speak of, with those of the clicks they showed that can decide about it. */
export interface CustomerMatches {
  readonly customers: readonly KnownCustomer[];
  readonly clicks: readonly CustomerClickRow[];
}

export const isOfBook = ({ programId, isTest }: VerifiedClick, book: Book): boolean =>
  programId === book.programId && isTest === book.isTest;

/** The clicks of a call that count in a book: its own, and with a link behind them. */
export const clicksOfBook = (clicks: readonly VerifiedClick[], book: Book): readonly VerifiedClick[] =>
  clicks.filter((click) => isOfBook(click, book) && click.linkId !== 0);

/**
 * Those of them that can decide: their link is there, and of this book's program. A restore from a backup may have undone
 * links whose clicks were signed since.
 */
export function clicksOfLinks(
  clicks: readonly VerifiedClick[],
  { programId }: Book,
  { settings }: Context,
): readonly VerifiedClick[] | Decision<never> {
  const missing = clicks.filter(({ linkId }) => settings.link(linkId) === undefined);
  if (missing.length > 0) return retryWith({ needs: missing.map(({ linkId }) => ({ kind: "link", linkId })) });
  return clicks.filter(({ linkId }) => settings.link(linkId)?.programId === programId);
}

/** Those who showed one of these clicks before. */
export function holdersOf(people: CustomerMatches, clicks: readonly VerifiedClick[]): readonly KnownCustomer[] {
  const ids = new Set(clicks.map(({ clickId }) => clickId));
  const holding = new Set(people.clicks.filter(({ clickId }) => ids.has(clickId)).map(({ customerId }) => customerId));
  return people.customers.filter(({ id }) => holding.has(id));
}

/**
 * Whom a keyed call speaks of: the customer with that key; else the one customer without a key who showed its click,
 * whom the call names. A click alone means the customer without a key, or the only one who showed it. Undefined: a new
 * customer (a click that somebody with another key showed comes from a shared device).
 */
export function findCustomer(
  people: CustomerMatches,
  customerKey: string | undefined,
  clicks: readonly VerifiedClick[],
): KnownCustomer | undefined {
  const byKey = people.customers.find((customer) => customerKey !== undefined && customer.customerKey === customerKey);
  if (byKey !== undefined) return byKey;
  const holders = holdersOf(people, clicks);
  const [nameless, ...others] = holders.filter((holder) => holder.customerKey === null);
  if (nameless !== undefined && others.length === 0) return nameless;
  return customerKey === undefined && holders.length === 1 ? holders[0] : undefined;
}

/** A customer of whom nothing is known but that they are there. */
export const newCustomer = (book: Book, id: number, customerKey: string | undefined, at: number): CustomerRow => ({
  ...book,
  id,
  customerKey: customerKey ?? null,
  partnerId: null,
  linkId: null,
  clickId: null,
  clickAt: null,
  evidence: null,
  model: null,
  windowDays: null,
  windowUntil: null,
  clickAgeDays: null,
  boundAt: null,
  boundBy: null,
  confirmedAt: null,
  reason: "no_click",
  firstSaleAt: null,
  firstAttributedSaleAt: null,
  oneTimeCommissionId: null,
  emailHash: null,
  emailMask: null,
  createdAt: at,
});

/** Whether the attribution rests on browser evidence alone: it decides nothing for good, and locks nothing. */
export const isUnconfirmed = ({ partnerId, evidence, confirmedAt }: CustomerRow): boolean =>
  partnerId !== null && evidence === "browser" && confirmedAt === null;

/** What an address is stored as: a hash keyed by program, and a mask. */
export const emailColumns = (email: MaskedEmail, programId: number, hashSecret: string) => ({
  emailHash: createHmac("sha256", hashSecret).update(`${programId}|${email.digest}`).digest("base64url"),
  emailMask: email.mask,
});

/** The clicks that a keyed call decides by: those shown with a key before, and its own. */
export function keyedCandidates(
  customerId: number | undefined,
  people: CustomerMatches,
  clicks: readonly VerifiedClick[],
): readonly Candidate[] {
  const candidates = new Map<string, Candidate>();
  for (const { customerId: holder, clickId, clickAt, linkId, evidence } of people.clicks) {
    if (holder === customerId && evidence === "key") candidates.set(clickId, { clickId, at: clickAt, linkId });
  }
  for (const { clickId, at, linkId } of clicks) candidates.set(clickId, { clickId, at, linkId });
  return [...candidates.values()];
}

/** Which click binds a customer by the terms in force. */
export const attributeBy = (program: Program, candidates: readonly Candidate[], binding: Binding): Attribution =>
  attribute(
    candidates,
    {
      model: program.attributionModel,
      windowDays: program.attributionWindowDays,
      windowUntil: program.windowUntil,
    },
    binding,
  );

/** What backs an attribution. */
type Backing = Pick<CustomerRow, "evidence" | "boundAt" | "boundBy" | "confirmedAt">;

/** The customer, attributed to a click. The terms are frozen with it. */
export const creditedTo = <Customer extends CustomerRow>(
  customer: Customer,
  { click, clickAgeDays }: Attribution & { attributed: true },
  link: Link,
  program: Program,
  backing: Backing,
): Customer => ({
  ...customer,
  partnerId: link.partnerId,
  linkId: link.id,
  clickId: click.clickId,
  clickAt: click.at,
  model: program.attributionModel,
  windowDays: program.attributionWindowDays,
  windowUntil: program.windowUntil,
  clickAgeDays,
  ...backing,
  reason: null,
});

/** The customer, attributed to nobody, with the reason. */
export const creditedToNobody = <Customer extends CustomerRow>(customer: Customer, why: NoCredit): Customer => ({
  ...customer,
  reason: why.reason,
  clickAgeDays: why.clickAgeDays ?? null,
  windowDays: why.windowDays ?? null,
});

/** Why an attribution came to nothing; `links` are those of the clicks that were considered, as far as they are known. */
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

/** The partner of a customer. */
export interface PartnerOf {
  readonly code: string;
  readonly isActive: boolean;
}

/** The credit for a customer's sales once their first is decided. Undefined: the customer has no partner. */
export function decidedCredit(customer: CustomerRow, partner: PartnerOf): Credit | undefined {
  const { partnerId, clickId, clickAt, evidence, model, windowDays } = customer;
  if (partnerId === null || clickId === null || clickAt === null) return undefined;
  if (evidence === null || model === null || windowDays === null) return undefined;
  const bond = bondOf(customer, clickAt, windowDays);
  return {
    partnerId,
    partnerCode: partner.code,
    isPartnerActive: partner.isActive,
    clickId,
    clickAt,
    clickAgeDays: customer.clickAgeDays ?? 0,
    evidence,
    isConfirmed: !isUnconfirmed(customer),
    model,
    windowDays,
    windowUntil: bond.windowUntil,
    bound: { by: bond.boundBy, at: bond.boundAt },
  };
}

/** A Worker of the release before, which goes on for a moment beside this one, freezes only the click: it binds by that. */
const bondOf = ({ windowUntil, boundAt, boundBy }: CustomerRow, clickAt: number, windowDays: number): Bond => ({
  clickAt,
  windowDays,
  windowUntil: windowUntil ?? "lead",
  boundAt: boundAt ?? clickAt,
  boundBy: boundBy ?? "lead",
});

/** Who is credited with a customer's sales, judged at their first sale. Undefined: the customer has no partner. */
export function creditOf(
  customer: CustomerRow,
  partner: PartnerOf,
  firstSaleAt: number,
): Credit | NoCredit | undefined {
  const credit = decidedCredit(customer, partner);
  if (credit === undefined) return undefined;
  const { clickId, clickAt, windowDays } = credit;
  const window = saleWithinWindow(bondOf(customer, clickAt, windowDays), firstSaleAt);
  if (window.ok) return { ...credit, clickAgeDays: window.clickAgeDays };
  const { ok, ...why } = window;
  return { ...why, considered: { clickId, clickAt, partner: { id: credit.partnerId, code: credit.partnerCode } } };
}
