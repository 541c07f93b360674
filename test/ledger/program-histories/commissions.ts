import {
  type Book,
  byInstant,
  type Commission,
  type Customer,
  currentSales,
  day,
  halfUp,
  nextNumber,
  type Policy,
  type Sale,
} from "./book.ts";
import { replayFigures } from "./refunds.ts";

export const noCommission = (reason: string | null): Commission => ({
  ...{ status: "void", reason, initial: 0, approvedBy: null, isHeld: false, holdUntil: 0 },
  policy: null,
});

const isOf = (policy: Policy, owner: Policy["owner"]): boolean =>
  JSON.stringify(policy.owner) === JSON.stringify(owner);

function policyFor({ policies, memberships }: Book, partner: number, at: number): Policy | null {
  const own = policies.filter((policy) => isOf(policy, { partner }));
  const membership = memberships.findLast((each) => each.partner === partner && each.from <= at);
  const ofGroup = membership?.isIn ? policies.filter((policy) => isOf(policy, { group: 0 })) : [];
  for (const owned of [own, ofGroup]) {
    const now = owned.filter(({ from }) => from <= at).at(-1);
    if (now !== undefined && now.type !== "none") return now;
  }
  const ofProgram = policies.filter((policy) => isOf(policy, "program"));
  const inForce = ofProgram.filter(({ from }) => from <= at).at(-1) ?? ofProgram[0] ?? own[0] ?? ofGroup[0];
  return inForce === undefined || inForce.type === "none" ? null : inForce;
}

function monthsAfter(at: number, months: number): number {
  const date = new Date(at);
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth() + months];
  const last = new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
  return Date.UTC(year, month, Math.min(date.getUTCDate(), last)) + (at % day);
}

const isRefunded = ({ refunds, shown }: Sale): boolean => refunds.refunded(shown.cents) === shown.cents;

/**
 * The time of the customer's first sale at the partner, from which the policy's duration counts. Sales of other
 * partners don't count.
 */
export const firstAttributedAt = (customer: Customer, partner: number | null): number | null =>
  currentSales(customer)
    .filter((sale) => sale.partner === partner)
    .reduce<number | null>((first, { shown: { at } }) => Math.min(first ?? at, at), null);

const isOfPartner = ({ customer: { binding }, partner }: Sale): boolean => binding?.partner === partner;

/**
 * True if another sale has the customer's only `one_time` commission at the sale's partner. A partner whom the customer
 * has left keeps that commission.
 */
function isPlaceTaken(sale: Sale): boolean {
  const { customer, partner } = sale;
  if (isOfPartner(sale)) return customer.place !== null && customer.place !== sale;
  return currentSales(customer).some((each) => each !== sale && each.partner === partner && each.hasPlace);
}

/**
 * True if the `one_time` commission was still available to an earlier version of the corrected sale. An import since
 * then doesn't take it away.
 */
function hadPlaceBefore({ corrects, customer, partner }: Sale): boolean {
  for (let before = corrects; before !== null; before = before.corrects) {
    if (before.foundPlaceFree && before.customer === customer && before.partner === partner) return true;
  }
  return false;
}

/** The time of the first sale that an import has reported. Null for sales from before the import's attribution. */
function importedFirstAt({ customer: { binding, importedFirstAt: first }, partner, shown }: Sale): number | null {
  const isCovered = binding !== null && binding.partner === partner && shown.at >= binding.since;
  return isCovered ? first : null;
}

const isOneTimeTaken = (sale: Sale): boolean =>
  isPlaceTaken(sale) || (sale.customer.place !== sale && importedFirstAt(sale) !== null && !hadPlaceBefore(sale));

function refusalOf(book: Book, sale: Sale, policy: Policy | null): string | null {
  const { customer, shown, partner } = sale;
  if (partner !== null && !book.isActive[partner]) return "partner_inactive";
  if (policy === null) return "no_commission_policy";
  const imported = importedFirstAt(sale);
  if (policy.scope === "recurring") {
    const first = Math.min(imported ?? shown.at, firstAttributedAt(customer, partner) ?? shown.at);
    if (shown.at > monthsAfter(first, policy.durationMonths ?? 0)) return "commission_duration_over";
  }
  if (policy.scope === "one_time" && (sale.isRecurring || isOneTimeTaken(sale))) return "recurring_not_covered";
  const isMoney = policy.type === "flat" && policy.unit === null;
  const namesMoney = isMoney || policy.minSaleCents !== null || policy.maxCommissionCents !== null;
  if (namesMoney && policy.currency !== null && policy.currency !== shown.currency) return "currency_mismatch";
  if (policy.minSaleCents !== null && shown.cents < policy.minSaleCents) return "below_minimum";
  return null;
}

function initialOf({ type, rateBps, amountCents, maxCommissionCents }: Policy, cents: number): number {
  const amount = type === "flat" ? (amountCents ?? 0) : halfUp(cents, rateBps ?? 0, 10_000);
  return Math.min(amount, maxCommissionCents ?? amount);
}

/** Decides the commission of a sale whose partner is known. */
export function decide(book: Book, sale: Sale): void {
  const { partner, shown, customer } = sale;
  const hadPlace = customer.place === sale;
  sale.foundPlaceFree = false;
  if (partner === null) {
    leavePlace(sale);
    sale.commission = { ...noCommission(sale.reason), isHeld: sale.commission.isHeld };
    replayFigures(sale.refunds, 0, shown.cents);
    return;
  }
  const policy = policyFor(book, partner, shown.at);
  const reason = refusalOf(book, sale, policy);
  sale.foundPlaceFree = reason === null && !isOneTimeTaken(sale);
  leavePlace(sale);
  if (reason !== null || policy === null) {
    sale.commission = { ...noCommission(reason), isHeld: sale.commission.isHeld };
    replayFigures(sale.refunds, 0, shown.cents);
    return;
  }
  const { isHeld } = sale.commission;
  const holdUntil = shown.at + policy.holdDays * day;
  const isOver = holdUntil <= book.now && !isHeld;
  const isReversed = isRefunded(sale);
  sale.commission = {
    ...noCommission(null),
    ...{ status: isReversed ? "reversed" : isOver ? "approved" : "pending", initial: initialOf(policy, shown.cents) },
    ...{ holdUntil, policy, isHeld },
  };
  if (isOver) note(book, sale, "hold");
  if (!isReversed || hadPlace) takePlace(sale);
  replayFigures(sale.refunds, sale.commission.initial, shown.cents);
}

/**
 * Marks the sale as the one with the `one_time` commission, unless another sale has it. Policies of every scope do
 * this, because rules for first sales depend on it.
 */
function takePlace(sale: Sale): void {
  if (isPlaceTaken(sale)) return;
  sale.hasPlace = true;
  if (isOfPartner(sale)) sale.customer.place = sale;
}

function leavePlace(sale: Sale): void {
  sale.hasPlace = false;
  if (sale.customer.place === sale) sale.customer.place = null;
}

/** Decides the sales by time, so the earliest one that isn't fully refunded gets the `one_time` commission. */
export function decideAll(book: Book, sales: readonly Sale[]): void {
  for (const sale of sales.toSorted(byInstant)) decide(book, sale);
}

/**
 * Updates the commission after a refund or its cancellation. Returns `one_time_used` if another sale has the `one_time`
 * commission by now.
 */
export function settle(book: Book, sale: Sale, wasRefunded: number): string | null {
  const { commission, refunds, shown } = sale;
  const refunded = refunds.refunded(shown.cents);
  const isWhole = refunded === shown.cents;
  if (isWhole && (commission.status === "pending" || commission.status === "approved")) {
    if (commission.status === "pending") leavePlace(sale);
    commission.status = "reversed";
    return null;
  }
  if (commission.status !== "reversed" || isWhole || refunded >= wasRefunded) return null;
  if (commission.policy?.scope === "one_time" && isPlaceTaken(sale)) {
    commission.initial = 0;
    return "one_time_used";
  }
  takePlace(sale);
  const isOver = commission.holdUntil <= book.now && !commission.isHeld;
  if (isOver || commission.approvedBy === "person") approve(book, sale, commission.approvedBy ?? "hold");
  else commission.status = "pending";
  return null;
}

/** Approves the commissions whose hold period is over. */
export function mature(book: Book): void {
  for (const sale of book.sales) {
    const { commission } = sale;
    const isDue = commission.status === "pending" && commission.holdUntil <= book.now;
    if (!isDue || commission.isHeld) continue;
    approve(book, sale, "hold");
  }
}

const note = (book: Book, sale: Sale, by: "hold" | "person"): void => {
  if (sale.line === null) sale.payableNumber = nextNumber(book);
  sale.commission.approvedBy = by;
  sale.wasApproved = true;
};

export function approve(book: Book, sale: Sale, by: "hold" | "person"): void {
  sale.commission.status = "approved";
  note(book, sale, by);
}
