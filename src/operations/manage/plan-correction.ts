import { earliest } from "#domain/calendar.ts";
import type { SaleId } from "#domain/ids.ts";
import { type KnownCustomer, setFirstSales, setOneTimeCommission, updateCustomer } from "#store/customers.ts";
import type { RecordedSale } from "#store/sales.ts";
import type { Write } from "#store/statement.ts";
import { type Context, type Deciding, type Decision, refuse, retryWith } from "../operation.ts";
import type { BeforeCorrection } from "../track/before-correction.ts";
import { type FoundRefund, recordRefund } from "../track/record-refund.ts";
import { decideNewSale, type FoundForSale } from "../track/record-sale.ts";
import {
  type CorrectedSale,
  type CorrectSaleCall,
  isSameCustomer,
  keyAfter,
  type SaleCorrected,
  saleAgain,
  undoing,
} from "./correction.ts";
import { firstSalesAfter } from "./first-sales.ts";
import { keptCredit } from "./kept-credit.ts";
import { keptStep } from "./kept-step.ts";
import { noted } from "./noted.ts";
import type { Correctable, MoreOfCorrection } from "./read-correction.ts";
import { followRebound, leavesItsCustomer, reboundCustomer } from "./rebinding.ts";
import { type RefundsToRepeat, refundsToRepeat, repeatRefunds } from "./repeat-refunds.ts";
import { auditWrite, noChange } from "./settings-change.ts";
import { losesItsClick, writesOfMovedClick, writesWithoutClick } from "./without-click.ts";

/** Decides the corrected sale as if the old one had never been recorded. */
export function planCorrection(
  call: CorrectSaleCall,
  found: Correctable,
  deciding: Deciding,
): Decision<SaleCorrected, MoreOfCorrection> {
  const { newest, history } = found;
  const undone = undoSale(call, found, deciding);
  if ("kind" in undone) return undone;
  const { undo, left } = undone;
  const again = saleAgain(call);
  const toRepeat = refundsToRepeat(history.history?.rows ?? [], newest.sale, again);
  if ("kind" in toRepeat) return toRepeat;
  const freed = freedPlace(left);
  const rebinding = rebindingOf(call, found, deciding);
  const kept = keptCredit(again, found, deciding);
  if (kept !== undefined && "kind" in kept) return kept;
  const firstSales = firstSalesAfter(
    found.firstSales,
    newest.sale,
    isSameCustomer(call) ? again.occurredAt : undefined,
  );
  const refunded = afterRefund(found, newest.sale, { buyer: left.buyer, freed, firstSales, rebinding });
  const { rebinding: rebound, ...known } = refunded;
  const hadPlace = isSameCustomer(call) && hasPlace(found);
  const before: BeforeCorrection = {
    kept,
    signals: found.signals,
    keptStep: keptStep(found),
    isRebound: rebound !== undefined,
    firstSaleAt: firstBefore(call, found),
    leavesPlace: isWhole(toRepeat) && !hadPlace,
    tookPlaces: found.tookPlaces,
    placeWith: hadPlace ? (newest.commission.partnerId ?? undefined) : undefined,
  };
  const decided = decideNewSale(again, known, deciding, before);
  if (!("recorded" in decided)) return askingAlso(found, decided);
  const ofLeft = followLeft(rebinding, found, deciding);
  if (ofLeft !== undefined && "kind" in ofLeft) return askingAlso(found, ofLeft);
  const repeated = repeatRefunds({ ...undo, transactionId: again.transactionId }, decided, toRepeat, deciding);
  const answer: SaleCorrected = {
    before: { recorded: newest, customerKey: call.customerKey },
    after: { recorded: repeated.recorded, customerKey: keyAfter(call) },
  };
  if (call.isDryRun) return noChange(call.programId, answer);
  return {
    kind: "commit",
    programId: call.programId,
    answer,
    writes: [
      ...undone.writes,
      ...customerWrites({ freed, firstSales, rebinding }),
      ...withoutClick(found, deciding),
      ...decided.writes,
      ...(ofLeft?.writes ?? []),
      ...repeated.writes,
      ...recordOf(call, answer, deciding.context),
    ],
    holdUntil: earliest(decided.holdUntil, ofLeft?.holdUntil),
  };
}

const isWhole = ({ counted: { saleCents, sums } }: RefundsToRepeat): boolean => sums.refundedCents === saleCents;

/**
 * The instant of the customer's first sale among those reported before the original sale, because the corrected sale
 * counts as reported at the same time.
 */
const firstBefore = (call: CorrectSaleCall, { firstSales }: Correctable) =>
  isSameCustomer(call) ? firstSales?.others.firstBefore : undefined;

/**
 * True if the sale's commission is the customer's `one_time` commission: the only one that a policy with scope
 * `one_time` pays for a customer.
 */
const hasPlace = ({ buyer, newest }: Correctable): boolean => buyer?.oneTimeCommissionId === newest.commission.id;

/** Refunds the rest of the sale. */
function undoSale(call: CorrectSaleCall, { newest, history, buyer }: Correctable, { context }: Deciding) {
  const undo = undoing(call);
  const undone = recordRefund.decide(
    undo,
    { recorded: newest, refunds: history, buyer, formerPlace: undefined },
    context,
  );
  const idTaken = refuse({ code: "id_taken", id: undo.refundId });
  if (undone.kind === "refuse" && undone.refusal.code === "refund_conflict") return idTaken;
  if (undone.kind === "refuse" && undone.refusal.code === "too_many_refunds")
    return refuse({ code: "too_many_to_repeat" });
  if (undone.kind !== "commit") return undone;
  const left = undone.then as FoundRefund | undefined;
  if (left?.recorded === undefined || left.recorded.sale.refundedCents < newest.sale.amountCents) return idTaken;
  return { undo, left, writes: undone.writes };
}

interface Rebinding {
  readonly customer: KnownCustomer;
}

/** The customer as attributed without the corrected sale. Undefined if the sale hadn't attributed the customer. */
function rebindingOf(call: CorrectSaleCall, found: Correctable, { at }: Deciding): Rebinding | undefined {
  const { firstSales, binding, lead, left, subscriber } = found;
  const customer = left ?? subscriber;
  if (customer === undefined || !leavesItsCustomer(call, firstSales, found.newest.sale)) return undefined;
  return {
    customer: reboundCustomer(customer, firstSales, { binding, lead, isPlaceFree: hasPlace(found), at }),
  };
}

/** Reattributes the remaining sales of the customer whom the sale is taken from. */
function followLeft(rebinding: Rebinding | undefined, found: Correctable, deciding: Deciding) {
  if (rebinding === undefined || found.left === undefined) return undefined;
  const { customer } = rebinding;
  const sales = withReplaced(found.leftSales, found.newest.sale.id);
  return followRebound(customer, { ...found, sales, refunds: found.leftRefunds }, deciding);
}

/**
 * Requests the policies that were read before once more, together with the missing ones, because the new and the former
 * customer may have different partners.
 */
function askingAlso(
  { policiesThen = [] }: Correctable,
  decision: Decision<never, MoreOfCorrection>,
): Decision<never, MoreOfCorrection> {
  if (decision.kind !== "retry" || decision.missing.policiesThen === undefined) return decision;
  const asked = [...policiesThen.map((answered) => answered.asked), ...decision.missing.policiesThen];
  return retryWith({ ...decision.missing, policiesThen: asked });
}

function customerWrites({ freed, firstSales, rebinding }: Omit<Undone, "buyer">): readonly Write[] {
  const place = freed === undefined ? [] : [setOneTimeCommission({ id: freed, oneTimeCommissionId: null })];
  if (rebinding !== undefined) return [...place, updateCustomer(rebinding.customer)];
  return firstSales === undefined ? place : [...place, setFirstSales(firstSales)];
}

function withoutClick(
  { left, firstSales, newest, leadClicks = [], movingClick: click }: Correctable,
  deciding: Deciding,
): readonly Write[] {
  if (left === undefined || firstSales === undefined) return [];
  const { others } = firstSales;
  const decided = losesItsClick(left, firstSales, newest.sale)
    ? writesWithoutClick({ customer: left, others, sale: newest.sale, leadClicks }, deciding)
    : { customer: left, writes: [] };
  return [...decided.writes, ...writesOfMovedClick({ customer: decided.customer, leadClicks, click })];
}

/** The customer whose `one_time` commission is that of the corrected sale. Refunding the sale frees it. */
function freedPlace({ buyer, recorded }: FoundRefund): number | undefined {
  return buyer !== undefined && buyer.oneTimeCommissionId === recorded?.commission.id ? buyer.id : undefined;
}

interface Undone {
  readonly buyer: FoundRefund["buyer"];
  readonly freed: number | undefined;
  readonly firstSales: ReturnType<typeof firstSalesAfter>;
  readonly rebinding: Rebinding | undefined;
}

interface Refunded extends FoundForSale {
  readonly rebinding: Rebinding | undefined;
}

/** The facts read for the new sale, updated as if the old sale had already been refunded. */
function afterRefund(
  found: Correctable,
  { id: saleId }: RecordedSale["sale"],
  { buyer, freed, firstSales, rebinding }: Undone,
): Refunded {
  const asUndone = (customer: KnownCustomer): KnownCustomer => {
    if (customer.id !== buyer?.id) return customer;
    if (rebinding !== undefined) return { ...rebinding.customer, nearbySale: customer.nearbySale };
    const oneTimeCommissionId = freed === undefined ? buyer.oneTimeCommissionId : null;
    return { ...customer, ...firstSales, oneTimeCommissionId };
  };
  return {
    ...found,
    rebinding: found.left === undefined ? rebinding : undefined,
    recorded: undefined,
    customers: found.customers.map(asUndone),
    subscriber: found.subscriber && asUndone({ ...found.subscriber, nearbySale: nearbyOf(found.subscriber, found) }),
    sales: withReplaced(found.sales, saleId),
    behind: found.behind?.filter(({ id }) => id !== saleId),
  };
}

function withReplaced(sales: FoundForSale["sales"], saleId: SaleId): FoundForSale["sales"] {
  const replaced = sales?.found.map(({ sale, commission }) => ({
    sale: sale.id === saleId ? { ...sale, isReplaced: true } : sale,
    commission,
  }));
  return sales && replaced && { ...sales, found: replaced };
}

/**
 * A customer read by id lacks `nearbySale`, an earlier sale that the new one may duplicate. It is taken from the same
 * customer in `customers`.
 */
const nearbyOf = ({ id }: KnownCustomer, { customers }: Correctable) =>
  customers.find((customer) => customer.id === id)?.nearbySale ?? null;

function recordOf(call: CorrectSaleCall, { before, after }: SaleCorrected, context: Context): readonly Write[] {
  const { programId, sale, reason } = call;
  const subject = `sale ${sale.id}`;
  const texts = noted({ programId, subject }, { reason }, context);
  const told = ({ recorded: { sale: of, commission }, customerKey }: CorrectedSale) => ({
    transactionId: of.transactionId,
    amountCents: of.amountCents,
    currency: of.currency,
    customerKey,
    occurredAt: new Date(of.occurredAt).toISOString(),
    commissionCents: commission.amountCents,
  });
  const change = {
    programId,
    action: "sale.corrected",
    subject,
    before: told(before),
    after: { ...told(after), ...texts.named },
  };
  return [...texts.writes, auditWrite(call, change, context)];
}
