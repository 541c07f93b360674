import { type Candidate, clickToleranceMs } from "../domain/attribution.ts";
import { type Book, bookKey } from "../domain/book.ts";
import {
  type CustomerRow,
  insertCustomer,
  type KnownCustomer,
  keepClick,
  nameClicks,
  updateCustomer,
  updateLeadOfCustomer,
} from "../store/customers.ts";
import type { RecordedSale, RefundRow } from "../store/sales.ts";
import type { Link, Program } from "../store/settings.ts";
import type { Write } from "../store/statement.ts";
import { type Attributed, attributeEarlierSales } from "./attribute-earlier-sales.ts";
import { isCredit, type NoCredit } from "./credit-sale.ts";
import {
  attributeCustomer,
  candidatesOf,
  creditedTo,
  creditedToNobody,
  creditOf,
  newCustomer,
  type People,
  whoIsMeant,
  whyNot,
} from "./customer.ts";
import { again, type Context, type Decision, type Locks, type VerifiedClick } from "./operation.ts";

/** A keyed call's word about a customer. */
export interface Statement {
  readonly book: Book;
  readonly customerKey: string | undefined;
  /** Good, and of this book. */
  readonly clicks: readonly VerifiedClick[];
  /** Whether any click id was sent, good or not. */
  readonly sentClickId: boolean;
  /** The instant of the event, and of the call; milliseconds. */
  readonly occurredAt: number;
  readonly at: number;
  /** A sale is itself one that the click must come before, and moves nobody whom a keyed call has placed. */
  readonly isSale: boolean;
}

export interface Settled {
  readonly kind: "settled";
  /** As it was; undefined for a new one. */
  readonly known: KnownCustomer | undefined;
  readonly customer: CustomerRow;
  /** Of the partner the customer is owed to. */
  readonly partner: { readonly code: string; readonly isActive: boolean } | undefined;
  /** Whether this call changed what the customer is owed to. */
  readonly isMoved: boolean;
  /** Whether keyed evidence has come for what a browser had settled. */
  readonly isConfirmed: boolean;
  /** Why no click of this call decides, where none does. */
  readonly why: NoCredit;
}

/** Who a keyed call speaks of, and whom that customer is owed to after it. */
export function settleCustomer(
  statement: Statement,
  people: People,
  program: Program,
  context: Context,
): Settled | Decision<never> {
  const { book, customerKey, clicks, occurredAt, isSale } = statement;
  const links = new Map<string, Link>();
  for (const { clickId, linkId } of clicks) {
    const link = context.settings.link(linkId);
    if (link === undefined) return again({ needs: [{ kind: "link", linkId }] });
    if (link !== null) links.set(clickId, link);
  }
  const known = whoIsMeant(people, customerKey, clicks);
  const before = known ?? newCustomer(book, context.newId("customers"), customerKey, statement.at);
  const named = { ...before, customerKey: before.customerKey ?? customerKey ?? null };
  const partner = known?.partnerCode ? { code: known.partnerCode, isActive: known.isPartnerActive } : undefined;
  const unchanged = { kind: "settled", known, customer: named, partner, isMoved: false, isConfirmed: false } as const;

  const isLocked = before.firstAttributedSaleAt !== null;
  const isOpen = !isLocked && (!isSale || before.partnerId === null || before.evidence === "browser");
  if (clicks.length === 0 || !isOpen) {
    const backs = (link: Link) => link.partnerId === before.partnerId;
    const isConfirmed = before.evidence === "browser" && [...links.values()].some(backs);
    const why = whyUnattributed(statement, known);
    if (known === undefined) return { ...unchanged, customer: creditedToNobody(named, why), why };
    return { ...unchanged, customer: isConfirmed ? { ...named, evidence: "key" } : named, isConfirmed, why };
  }

  const firstSaleAt = isSale ? Math.min(before.firstSaleAt ?? occurredAt, occurredAt) : before.firstSaleAt;
  const candidates = candidatesOf(known?.id, people, clicks, "key");
  const attribution = attributeCustomer(candidates, program, occurredAt, firstSaleAt);
  if (!attribution.attributed) {
    const why = whyNot(attribution);
    const customer = before.partnerId === null ? creditedToNobody(named, why) : named;
    return { ...unchanged, customer, why };
  }
  if (isOutdated(attribution.click, before, program, firstSaleAt)) return { ...unchanged, why: { reason: "no_click" } };
  const { linkId, clickId } = attribution.click;
  const link = links.get(clickId) ?? context.settings.link(linkId);
  if (!link) return again({ needs: [{ kind: "link", linkId }] });
  return {
    ...unchanged,
    customer: creditedTo(named, attribution, link, program),
    partner: { code: link.code, isActive: link.isPartnerActive },
    isMoved: clickId !== before.clickId || link.partnerId !== before.partnerId,
    why: { reason: "no_click" },
  };
}

/** Told late, an event from before the customer's present click moves nobody back to an older one. */
function isOutdated(click: Candidate, before: CustomerRow, program: Program, firstSaleAt: number | null): boolean {
  const { clickAt, evidence } = before;
  if (program.attributionModel !== "last_click" || evidence !== "key" || clickAt === null) return false;
  return click.at < clickAt && clickAt <= (firstSaleAt ?? clickAt) + clickToleranceMs;
}

function whyUnattributed({ clicks, sentClickId, isSale }: Statement, known: KnownCustomer | undefined): NoCredit {
  if (sentClickId && clicks.length === 0) return { reason: "invalid_click_id" };
  if (known === undefined) return { reason: isSale ? "customer_not_found" : "no_click" };
  const { reason, clickAgeDays, windowDays } = known;
  if (reason === "existing_customer") return { reason };
  if (reason !== "attribution_window_expired") return { reason: "no_click" };
  return { reason, clickAgeDays: clickAgeDays ?? undefined, windowDays: windowDays ?? undefined };
}

/**
 * The sales that were told before, and belonged to nobody until this call: it places their customer, or tells of an
 * earlier first sale (`saleAt`) that lies within the window. None where there were none.
 */
export function settleEarlierSales(
  { known, customer, partner }: Settled,
  found: { readonly sales: readonly RecordedSale[] | undefined; readonly refunds: readonly RefundRow[] | undefined },
  program: Program,
  context: Context,
  at: number,
  saleAt?: number,
): Attributed | Decision<never> {
  const none = { writes: [], sales: [], firstAt: undefined, holdUntil: undefined };
  if (!known || known.firstAttributedSaleAt !== null || known.firstSaleAt === null || partner === undefined)
    return none;
  const credit = creditOf(customer, partner, Math.min(known.firstSaleAt, saleAt ?? known.firstSaleAt));
  if (credit === undefined || !isCredit(credit)) return none;
  if (found.sales === undefined || found.refunds === undefined) return again({ salesOf: known.id });
  const earlier = { sales: found.sales, refunds: found.refunds };
  return attributeEarlierSales(earlier, credit, program, context, at, saleAt);
}

/**
 * What must be written of a customer: the row where it is new or changed, the clicks it had not shown with a key, and
 * its lead, whose count goes where the customer goes.
 */
export function writesOfCustomer(
  { known, partner, isMoved, isConfirmed }: Settled,
  customer: CustomerRow,
  people: People,
  clicks: readonly VerifiedClick[],
  operationId: string,
): readonly Write[] {
  const row =
    known === undefined ? [insertCustomer(customer)] : isSame(known, customer) ? [] : [updateCustomer(customer)];
  const shown = new Set(
    people.clicks
      .filter(({ customerId, evidence }) => customerId === customer.id && evidence === "key")
      .map(({ clickId }) => clickId),
  );
  const kept = clicks
    .filter(({ clickId }) => !shown.has(clickId))
    .map(({ clickId, linkId, at }) =>
      keepClick({ ...shownBy(customer), clickId, linkId, clickAt: at, evidence: "key", hasSettledInBrowser: false }),
    );
  const isNamed = known !== undefined && known.customerKey !== customer.customerKey;
  const named = isNamed ? [nameClicks({ customerId: customer.id })] : [];
  const movedOperationId = isMoved ? operationId : null;
  const lead =
    isMoved || isNamed || isConfirmed
      ? [updateLeadOfCustomer({ ...leadColumns(customer, partner), movedOperationId })]
      : [];
  return [...row, ...kept, ...named, ...(known === undefined ? [] : lead)];
}

/** The columns of a kept click that say whose it is. */
export const shownBy = ({ id, customerKey }: CustomerRow) => ({ customerId: id, isNameless: customerKey === null });

/** The columns of a lead that say whose it is: those of its customer. */
export const leadColumns = (customer: CustomerRow, partner: Settled["partner"]) => ({
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
