import type { Attribution, Binding, Candidate } from "../../domain/attribution.ts";
import { type Book, bookKey } from "../../domain/book.ts";
import { clockToleranceMs } from "../../domain/calendar.ts";
import { assignCustomerKey, saveCustomerClick } from "../../store/customer-clicks.ts";
import {
  type CustomerRow,
  insertCustomer,
  type KnownCustomer,
  lowerFirstSale,
  updateCustomer,
} from "../../store/customers.ts";
import { updateLeadOfCustomer } from "../../store/leads.ts";
import type { Link, Program } from "../../store/settings.ts";
import type { Write } from "../../store/statement.ts";
import { type Context, type Decision, type Locks, retryWith, type VerifiedClick } from "../operation.ts";
import { isCredit, type NoCredit } from "./commission-for-sale.ts";
import {
  attributeBy,
  type CustomerMatches,
  creditedTo,
  creditedToNobody,
  creditOf,
  findCustomer,
  isUnconfirmed,
  keyedCandidates,
  newCustomer,
  noCreditReason,
  type PartnerOf,
} from "./customer.ts";
import { allSalesOf, earlierSales } from "./earlier-sales.ts";
import { type Followed, followCustomer, programAtMove, standingOf, type Turn } from "./follow-customer.ts";

/** A keyed call's word about a customer. */
export interface CustomerClaim {
  readonly book: Book;
  /** Where the call names the customer by something else than a key or a click. */
  readonly customer?: KnownCustomer | undefined;
  readonly customerKey: string | undefined;
  /** Good, of this book, and each with its link. */
  readonly clicks: readonly VerifiedClick[];
  /** Whether any click id was sent, good or not. */
  readonly sentClickId: boolean;
  /** The instant of the event, and of the call; milliseconds. */
  readonly occurredAt: number;
  readonly at: number;
  /** A sale is itself one that the click must come before, and moves nobody whom a keyed call has placed. */
  readonly isSale: boolean;
}

export interface ResolvedCustomer {
  readonly kind: "settled";
  /** As it was; undefined for a new one. */
  readonly known: KnownCustomer | undefined;
  readonly customer: CustomerRow;
  /** Of the partner the customer is attributed to. */
  readonly partner: PartnerOf | undefined;
  /** Whether this call changed what the customer is attributed to. */
  readonly isMoved: boolean;
  /** Whether keyed evidence has come for what a browser had settled. */
  readonly isConfirmed: boolean;
  /** Why no click of this call decides, where none does. */
  readonly why: NoCredit;
}

/** Who a keyed call speaks of, and whom that customer is attributed to after it. */
export function resolveCustomer(
  statement: CustomerClaim,
  people: CustomerMatches,
  program: Program,
  context: Context,
): ResolvedCustomer | Decision<never> {
  const { book, customerKey, clicks, at, isSale } = statement;
  const links = new Map<string, Link>();
  for (const { clickId, linkId } of clicks) {
    const link = context.settings.link(linkId);
    if (link) links.set(clickId, link);
  }
  const known = statement.customer ?? findCustomer(people, customerKey, clicks);
  const before = known ?? newCustomer(book, context.newId("customers"), customerKey, at);
  const named = { ...before, customerKey: before.customerKey ?? customerKey ?? null };
  const partner = known?.partnerCode ? { code: known.partnerCode, isActive: known.isPartnerActive } : undefined;
  const unchanged = { kind: "settled", known, customer: named, partner, isMoved: false, isConfirmed: false } as const;

  const wasUnconfirmed = isUnconfirmed(before);
  const isLocked = before.firstAttributedSaleAt !== null && !wasUnconfirmed;
  const isOpen = !isLocked && (!isSale || before.partnerId === null || wasUnconfirmed);
  if (clicks.length === 0 || !isOpen) {
    const why = whyUnattributed(statement, known);
    return { ...unchanged, customer: known === undefined ? creditedToNobody(named, why) : named, why };
  }

  const { attribution, binding } = attributeByKey(statement, before, people, program);
  if (!attribution.attributed) {
    const why = noCreditReason(attribution, links);
    return { ...unchanged, customer: before.partnerId === null ? creditedToNobody(named, why) : named, why };
  }
  if (isOutdated(attribution.click, before, program, binding.firstSaleAt)) {
    return { ...unchanged, why: { reason: "no_click" } };
  }
  const { linkId, clickId } = attribution.click;
  const link = links.get(clickId) ?? context.settings.link(linkId);
  if (!link) return retryWith({ needs: [{ kind: "link", linkId }] });
  const isConfirmed = wasUnconfirmed && link.partnerId === before.partnerId;
  return {
    ...unchanged,
    customer: creditedTo(named, attribution, link, program, {
      evidence: "key",
      ...boundBefore(before, clickId, binding),
      confirmedAt: before.confirmedAt ?? at,
    }),
    partner: { code: link.code, isActive: link.isPartnerActive },
    isMoved: !isConfirmed && (clickId !== before.clickId || link.partnerId !== before.partnerId),
    isConfirmed,
    why: { reason: "no_click" },
  };
}

/**
 * By which of the keyed clicks a call binds the customer. A later call that shows the very click of the browser's lead
 * that made the customer known is judged at the instant the service received that lead, so that a trial that ends after
 * the window confirms it. One of before is judged at its own, as if the browser had said nothing.
 */
function attributeByKey(
  { clicks, occurredAt, isSale }: CustomerClaim,
  before: CustomerRow,
  people: CustomerMatches,
  program: Program,
): { readonly attribution: Attribution; readonly binding: Binding } {
  const candidates = keyedCandidates(before.id, people, clicks);
  const firstSaleAt = isSale
    ? Math.min(before.firstSaleAt ?? occurredAt, occurredAt)
    : (before.firstSaleAt ?? undefined);
  const ofLead = people.clicks.find((shown) => shown.customerId === before.id && shown.hasSettledInBrowser);
  const showsLead = clicks.some(({ clickId }) => clickId === ofLead?.clickId);
  if (showsLead && before.createdAt < occurredAt) {
    const binding = { by: "lead", at: before.createdAt, firstSaleAt } as const;
    const attribution = attributeBy(program, candidates, binding);
    if (attribution.attributed) return { attribution, binding };
  }
  const binding = { by: isSale ? "sale" : "lead", at: occurredAt, firstSaleAt } as const;
  return { attribution: attributeBy(program, candidates, binding), binding };
}

/** A customer is bound once: the same click, shown again, does so no later. */
function boundBefore({ clickId, boundAt, boundBy }: CustomerRow, click: string, { at, by }: Binding) {
  const isBound = clickId === click && boundAt !== null && boundBy !== null && boundAt <= at;
  return isBound ? { boundAt, boundBy } : { boundAt: at, boundBy: by };
}

/** Told late, an event from before the customer's present click moves nobody back to an older one. */
function isOutdated(click: Candidate, before: CustomerRow, program: Program, firstSaleAt: number | undefined): boolean {
  const { clickAt } = before;
  if (program.attributionModel !== "last_click" || isUnconfirmed(before) || clickAt === null) return false;
  return click.at < clickAt && clickAt <= (firstSaleAt ?? clickAt) + clockToleranceMs;
}

function whyUnattributed({ clicks, sentClickId, isSale }: CustomerClaim, known: KnownCustomer | undefined): NoCredit {
  if (sentClickId && clicks.length === 0) return { reason: "invalid_click_id" };
  if (known === undefined) return { reason: isSale ? "customer_not_found" : "no_click" };
  const { reason, clickAgeDays, windowDays } = known;
  if (reason === "existing_customer") return { reason };
  if (reason !== "attribution_window_expired") return { reason: "no_click" };
  return { reason, clickAgeDays: clickAgeDays ?? undefined, windowDays: windowDays ?? undefined };
}

/**
 * The sales that were told before and follow their customer now: to a partner, where this call names one for whom they
 * had none or only a browser's word, or where `own`, the sale told now, is an earlier first sale that lies within the
 * window. Undefined where none do.
 */
export function resolveEarlierSales(
  { known, customer, partner, isMoved, isConfirmed }: ResolvedCustomer,
  found: Parameters<typeof earlierSales>[0],
  program: Program,
  context: Context,
  at: number,
  own?: Turn,
): Followed | undefined | Decision<never> {
  if (known === undefined || known.firstSaleAt === null || partner === undefined) return undefined;
  if (known.firstAttributedSaleAt !== null && !isMoved && !isConfirmed) return undefined;
  // A call that moves nobody finishes a move that is pending as it began.
  const move = isMoved ? null : known.movedUpTo;
  const partnerThen = move === null ? partner : { ...partner, isActive: move.isPartnerActive };
  const programThen = move === null ? program : programAtMove(program, move);
  const credit = creditOf(customer, partnerThen, Math.min(known.firstSaleAt, own?.occurredAt ?? known.firstSaleAt));
  if (credit === undefined || !isCredit(credit)) return undefined;
  const earlier = earlierSales(found, allSalesOf(known.id));
  if ("kind" in earlier) return earlier;
  const standing = isMoved ? { firstAttributedSaleAt: undefined, oneTime: undefined } : standingOf(customer);
  const isPending = known.movedUpTo !== null;
  const follow = { customer, credit, program: programThen, at, isMoving: isMoved, isPending };
  return followCustomer(earlier, follow, standing, context, own);
}

/**
 * What must be written of a customer: the row where it is new or changed, the clicks it had not shown with a key, and
 * its lead, whose count goes where the customer goes.
 */
export function writesOfCustomer(
  { known, partner, isMoved, isConfirmed }: ResolvedCustomer,
  customer: CustomerRow,
  people: CustomerMatches,
  clicks: readonly VerifiedClick[],
  operationId: string,
): readonly Write[] {
  const row = known === undefined ? [insertCustomer(customer)] : changesOf(known, customer);
  const shown = new Set(
    people.clicks
      .filter(({ customerId, evidence }) => customerId === customer.id && evidence === "key")
      .map(({ clickId }) => clickId),
  );
  const kept = clicks
    .filter(({ clickId }) => !shown.has(clickId))
    .map(({ clickId, linkId, at }) =>
      saveCustomerClick({
        ...clickOwner(customer),
        clickId,
        linkId,
        clickAt: at,
        evidence: "key",
        hasSettledInBrowser: false,
      }),
    );
  const isNamed = known !== undefined && known.customerKey !== customer.customerKey;
  const named = isNamed ? [assignCustomerKey({ customerId: customer.id })] : [];
  const movedOperationId = isMoved ? operationId : null;
  const lead =
    isMoved || isNamed || isConfirmed
      ? [updateLeadOfCustomer({ ...leadColumns(customer, partner), movedOperationId })]
      : [];
  return [...row, ...kept, ...named, ...(known === undefined ? [] : lead)];
}

/** The columns of a kept click that say whose it is. */
export const clickOwner = ({ id, customerKey }: CustomerRow) => ({ customerId: id, isAnonymous: customerKey === null });

/** The columns of a lead that say whose it is: those of its customer. */
export const leadColumns = (customer: CustomerRow, partner: PartnerOf | undefined) => ({
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

/** Sales that share a customer change no more than when the first of them was. */
function changesOf(known: KnownCustomer, customer: CustomerRow): readonly Write[] {
  if (isSame(known, customer)) return [];
  const { id, firstSaleAt } = customer;
  const isRestSame = isSame(known, { ...customer, firstSaleAt: known.firstSaleAt });
  return firstSaleAt !== null && isRestSame
    ? [lowerFirstSale({ customerId: id, at: firstSaleAt })]
    : [updateCustomer(customer)];
}

const isSame = (known: KnownCustomer, customer: CustomerRow): boolean =>
  (Object.keys(customer) as (keyof CustomerRow)[]).every((column) => known[column] === customer[column]);

export const transactionLock = (book: Book, transactionId: string): string =>
  `${bookKey(book)} transaction ${transactionId}`;

export const customerLock = (customerId: number): string => `customer #${customerId}`;

/**
 * All that ties a call to customers: a key, clicks, and those already found by them. A backend's call about a customer
 * with a key only needs to know that nobody without one showed its clicks; so any number of them may show the same click.
 */
export function customerLocks(
  book: Book,
  { key, customerKey }: { readonly key?: unknown; readonly customerKey?: string | undefined },
  clicks: readonly VerifiedClick[],
  customers: readonly KnownCustomer[],
): Locks & { readonly shared: readonly string[] } {
  const clickLocks = clicks.map(({ clickId }) => `click ${clickId}`);
  const idLocks = (ids: readonly KnownCustomer[]) => ids.map(({ id }) => customerLock(id));
  if (customerKey === undefined) return { exclusive: [...clickLocks, ...idLocks(customers)], shared: [] };

  const named = `${bookKey(book)} customer ${customerKey}`;
  const meant = customers.filter((customer) => customer.customerKey === null || customer.customerKey === customerKey);
  const isAlone = key !== undefined && meant.every((customer) => customer.customerKey !== null);
  return isAlone
    ? { exclusive: [named, ...idLocks(meant)], shared: clickLocks }
    : { exclusive: [named, ...clickLocks, ...idLocks(meant)], shared: [] };
}
