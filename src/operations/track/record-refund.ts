import { isPlaceholderId } from "#domain/caller-id.ts";
import { caps } from "#domain/caps.ts";
import type { CommissionStatus } from "#domain/commission-status.ts";
import type { SaleId } from "#domain/ids.ts";
import * as rules from "#domain/refund.ts";
import { type CountedRefunds, withRefund } from "#domain/refund-count.ts";
import { insertEntry, setCommissionState } from "#store/commissions.ts";
import { buyerOfSale, setOneTimeCommission } from "#store/customers.ts";
import { formerPlaceOf, rowsOfFormerPlace } from "#store/former-place.ts";
import { allPriorRefunds, fewPriorRefunds, insertRefund, type PriorRefund, setCountedCents } from "#store/refunds.ts";
import { newestSaleByTransaction, type RecordedSale, setRefundedCents } from "#store/sales.ts";
import type { Read, Write } from "#store/statement.ts";
import { amountLocks } from "../attribution/amount-locks.ts";
import { newApproval } from "../attribution/approval.ts";
import { ledgerEntry } from "../attribution/commission-for-sale.ts";
import { customerLock, transactionLock } from "../attribution/resolve-customer.ts";
import { payoutLock } from "../locks.ts";
import {
  type Commit,
  type Deciding,
  type Decision,
  type Gathered,
  type Operation,
  refuse,
  retryWith,
} from "../operation.ts";
import { namesOfCall } from "../privacy/renamed.ts";
import {
  bookOf,
  cancelsUnknown,
  type Effect,
  newCall,
  noEffect,
  type RefundAnswer,
  type RefundCall,
  RefundHistory,
  recordedRefund,
  refundRow,
  skippedRefund,
} from "./refund.ts";

const saleLock = (call: RefundCall): string => transactionLock(bookOf(call), call.transactionId);

export interface MoreOfRefund {
  /** Reads all refunds of a sale that has many. */
  readonly allRefunds: true;
  /** Reads whether another sale has the `one_time` commission of a partner whom the customer has left. */
  readonly formerPlaceOf: SaleId;
}

function gather(call: RefundCall, { allRefunds, formerPlaceOf: saleId }: Partial<MoreOfRefund>) {
  const sale = { ...bookOf(call), transactionId: call.transactionId };
  return {
    recorded: newestSaleByTransaction(sale),
    refunds: withHistory(allRefunds ? allPriorRefunds(sale) : fewPriorRefunds(sale)),
    buyer: buyerOfSale(sale),
    formerPlace: saleId === undefined ? undefined : formerPlaceOf({ programId: sale.programId, saleId }),
  };
}

interface FoundRefunds {
  readonly count: number;
  /** Undefined if there are many refunds and they haven't been read. */
  readonly history: RefundHistory | undefined;
}

type StoredRefunds = { readonly count: number; readonly prior: readonly PriorRefund[] | null };

const withHistory = ({ decode, ...read }: Read<StoredRefunds | undefined>): Read<FoundRefunds> => ({
  ...read,
  decode(rows) {
    const { count, prior } = decode(rows) ?? { count: 0, prior: [] };
    return { count, history: prior === null ? undefined : new RefundHistory(prior) };
  },
});
export type FoundRefund = Gathered<ReturnType<typeof gather>>;

interface Refundable {
  readonly recorded: RecordedSale;
  readonly history: RefundHistory;
  readonly buyer: FoundRefund["buyer"];
  readonly formerPlace: FoundRefund["formerPlace"];
}

export const recordRefund: Operation<RefundCall, ReturnType<typeof gather>, RefundAnswer, MoreOfRefund> = {
  kind: "refund",
  lane: "money",
  needs: (call) => [{ kind: "program", programId: call.key.programId }],

  gather,

  chain: saleLock,
  names: namesOfCall(bookOf),

  // The sale and its customer are locked, because a call that reattributes the sale recomputes its refunds.
  locks(call, found) {
    const told = saleLock(call);
    if (found.recorded === undefined) return { exclusive: [told] };
    const payouts = call.isTest ? [] : [payoutLock(call.key.programId)];
    // The call may use the transaction id from before a correction of the sale.
    const { transactionId, customerId } = found.recorded.sale;
    const amounts = found.buyer === undefined ? [] : amountLocks(found.buyer, found.recorded.sale);
    const sales = [...new Set([told, transactionLock(bookOf(call), transactionId), ...amounts])];
    if (customerId === null) return { exclusive: sales, shared: payouts };
    const customer = customerLock(customerId);
    return mayChangeOneTime(found)
      ? { exclusive: [...sales, customer], shared: payouts }
      : { exclusive: sales, shared: [customer, ...payouts] };
  },

  decide(call, { recorded, refunds: { count, history }, buyer, formerPlace }, context) {
    const program = context.settings.program(call.key.programId);
    if (!program) return refuse({ code: "invalid_key" });
    if (recorded === undefined) return refuseUnknownSale(call);
    if (history === undefined) return retryWith({ allRefunds: true, rows: count });
    const { rows } = history;
    const own = rows.findIndex(({ operationId }) => operationId === call.operationId);
    const repeated = rows[own];
    if (repeated !== undefined) {
      return recordedRefund(recorded, repeated, { ...call, isUnknown: cancelsUnknown(rows.slice(0, own), call) });
    }
    if (call.placeholder !== undefined && !rows.some(({ refundId }) => refundId === call.refundId)) {
      return refuse({ code: "placeholder_id", field: call.placeholder });
    }
    if (formerPlace === undefined && mayRestoreFormer(call, recorded, buyer)) {
      return retryWith({ formerPlaceOf: recorded.sale.id, rows: rowsOfFormerPlace });
    }

    const before = history.countedOf(recorded.sale);
    const after = withRefund(before, newCall(call));
    const found: PlannedRefund = { recorded, history, buyer, formerPlace, after };
    const deciding = { program, context, at: call.at };
    const decision = rules.decideRefund(refundable(found), { before, after }, newCall(call), call.at);
    switch (decision.kind) {
      case "conflict":
        return refuse({ code: "refund_conflict", differences: decision.differences });
      case "exceeds":
        return refuse({ code: "refund_exceeds_sale", refundableCents: decision.refundableCents });
      case "duplicate":
        return skippedRefund(call, recorded, "duplicate refund_id", rows[decision.first]);
      case "skipped":
        return decision.isRecorded
          ? planWithinCap(call, found, noEffect(recorded, decision.reason), deciding)
          : skippedRefund(call, recorded, decision.reason);
      case "refund":
        return planWithinCap(call, found, decision, deciding);
    }
  },
};

/** No sale can have a placeholder id (such as `undefined`), so a retry would fail as well. */
const refuseUnknownSale = ({ transactionId }: RefundCall): Decision<never> =>
  refuse(
    isPlaceholderId(transactionId) ? { code: "placeholder_id", field: "transaction_id" } : { code: "sale_not_found" },
  );

function refundable({ recorded, history, buyer, formerPlace }: Refundable): rules.RefundableSale {
  const { sale, commission, policyScope } = recorded;
  const oneTimeId = buyer?.oneTimeCommissionId ?? undefined;
  const isTaken = isOfBuyersPartner(buyer, commission)
    ? oneTimeId !== undefined && oneTimeId !== commission.id
    : formerPlace?.isTaken === true;
  const isElsewhere = policyScope === "one_time" && isTaken;
  // The `one_time` commission is the only one that a policy with scope `one_time` pays for a customer. If another sale
  // has used it, this sale can't get it back, even if the other sale is refunded.
  const isLost = commission.initialCents === 0 && history.rows.some((row) => row.outcomeReason === "one_time_used");
  return {
    amountCents: sale.amountCents,
    commission: {
      status: commission.status,
      initialCents: commission.initialCents,
      amountCents: commission.amountCents,
      holdUntil: commission.holdUntil,
      // Prevents an approval while a pending move (unfinished reattribution) still has to reattribute the sale.
      unconfirmed: commission.isUnconfirmed || buyer?.isMoving === true,
      held: commission.heldAt !== null,
      approvedBy: commission.approvedBy,
      isOneTimeUsed: isElsewhere || isLost,
    },
  };
}

type OneTimeBuyer = Omit<NonNullable<Refundable["buyer"]>, "isMoving">;

/**
 * True if the commission belongs to the customer's current partner. Only that partner's sales use or free the
 * customer's `one_time` commission.
 */
const isOfBuyersPartner = (buyer: OneTimeBuyer | undefined, { partnerId }: RecordedSale["commission"]): boolean =>
  buyer !== undefined && partnerId !== null && buyer.partnerId === partnerId;

/**
 * Canceling a refund restores a former partner's commission, unless another of the customer's sales has the partner's
 * `one_time` commission.
 */
const mayRestoreFormer = (
  { asked }: RefundCall,
  { commission, policyScope }: RecordedSale,
  buyer: FoundRefund["buyer"],
): boolean =>
  (asked === "cancel" || asked === "cancel_total") &&
  policyScope === "one_time" &&
  commission.status === "reversed" &&
  buyer !== undefined &&
  !isOfBuyersPartner(buyer, commission);

function mayChangeOneTime({ recorded, buyer }: Pick<FoundRefund, "recorded" | "buyer">): boolean {
  if (recorded === undefined || buyer === undefined) return false;
  const { id, status } = recorded.commission;
  if (status === "reversed") return true;
  return isOfBuyersPartner(buyer, recorded.commission) && status === "pending" && buyer.oneTimeCommissionId === id;
}

interface PlannedRefund extends Refundable {
  readonly after: CountedRefunds;
}

/**
 * Refunds without effect have a separate cap of the same size, so that they can't use up the cap of the other refunds.
 */
function planWithinCap(
  call: RefundCall,
  found: PlannedRefund,
  effect: Effect,
  deciding: Deciding,
): Decision<RefundAnswer> {
  const isSkipped = effect.status === "skipped";
  const ofItsKind = found.history.rows.filter(({ status }) => (status === "skipped") === isSkipped);
  if (ofItsKind.length >= caps.refunds.max) return refuse({ code: "too_many_refunds" });
  return planRefund(call, found, effect, deciding);
}

/**
 * Plans the writes. The next call of the chain is decided from `then`, which must equal what the database would return
 * after these writes.
 */
function planRefund(call: RefundCall, found: PlannedRefund, effect: Effect, deciding: Deciding): Commit<RefundAnswer> {
  const { recorded, history, buyer, after: counted } = found;
  const { sale, commission } = recorded;
  const { parts } = counted;
  const refund = refundRow(call, sale, { ...effect, countedCents: parts.at(-1) ?? 0 }, deciding);
  const changed: PriorRefund[] = [];
  const recounted = history.rows.map((row, i) => {
    const countedCents = parts[i] ?? 0;
    if (countedCents === row.countedCents) return row;
    const after = { ...row, countedCents };
    changed.push(after);
    return after;
  });
  const { commissionReversedCents: reversedCents } = effect;
  const { partnerId } = commission;
  const entries: Write[] = [];
  if (reversedCents !== 0 && partnerId !== null) {
    const { id: refundId, occurredAt, day } = refund;
    const kind = reversedCents > 0 ? "reversed" : "restored";
    const entry = { kind, amountCents: -reversedCents, partnerId, refundId, occurredAt, day } as const;
    entries.push(insertEntry(ledgerEntry(commission, entry, deciding.context)));
  }
  const after = commissionAfter(recorded, effect, deciding);
  const oneTimeId = oneTimeAfter(buyer, recorded, effect.nextCommissionStatus);
  const writes: Write[] = [insertRefund(refund), ...changed.map((row) => setCountedCents(row))];
  if (effect.refundedCents !== 0) {
    writes.push(setRefundedCents({ id: sale.id, refundedCents: effect.refundedTotalCents }));
  }
  if (after !== commission) writes.push(setCommissionState(after));
  writes.push(...entries);
  if (buyer !== undefined && oneTimeId !== buyer.oneTimeCommissionId) {
    writes.push(setOneTimeCommission({ id: buyer.id, oneTimeCommissionId: oneTimeId }));
  }
  const isPending = effect.nextCommissionStatus === "pending" && effect.nextCommissionStatus !== commission.status;
  const then: Omit<FoundRefund, "formerPlace"> = {
    recorded: {
      ...recorded,
      sale: { ...sale, refundedCents: effect.refundedTotalCents },
      commission: { ...after, amountCents: effect.commissionAmountCents },
    },
    refunds: { count: recounted.length + 1, history: new RefundHistory([...recounted, refund], counted) },
    buyer: buyer && { ...buyer, oneTimeCommissionId: oneTimeId },
  };
  return {
    ...recordedRefund(recorded, refund, { ...call, isUnknown: cancelsUnknown(history.rows, call) }),
    writes,
    holdUntil: isPending ? (commission.holdUntil ?? undefined) : undefined,
    then,
  };
}

/**
 * Returns the same object if nothing changes. `amountCents` isn't changed here, because a trigger computes it from the
 * entries.
 */
function commissionAfter(
  { commission, heldBy }: RecordedSale,
  effect: Effect,
  { context, at }: Pick<Deciding, "context" | "at">,
): RecordedSale["commission"] {
  const { nextCommissionStatus: status, initialCents } = effect;
  if (status === commission.status && initialCents === commission.initialCents) return commission;
  const after = { ...commission, status, initialCents };
  if (status === commission.status) return after;
  if (status === "reversed") return { ...after, reversedNumber: context.newId("ledgerEntries") };
  const restored = { ...after, reversedNumber: null };
  if (status !== "approved" || heldBy !== null) return restored;
  // The commission becomes payable again. Its new number is higher than the cutoff of payouts finalized since, and it
  // keeps the instant of its approval.
  const { approvedAt, payableNumber } = newApproval(context, at);
  const { approvedBy } = commission;
  return {
    ...restored,
    payableNumber,
    approvedAt: commission.approvedAt ?? approvedAt,
    approvedBy: approvedBy ?? "hold",
  };
}

/**
 * A full reversal of a pending commission frees the customer's `one_time` commission. Restoring the commission uses it
 * again.
 */
export function oneTimeAfter(
  buyer: OneTimeBuyer | undefined,
  { commission }: RecordedSale,
  next: CommissionStatus,
): number | null {
  const oneTime = buyer?.oneTimeCommissionId ?? null;
  if (!isOfBuyersPartner(buyer, commission)) return oneTime;
  if (commission.status === "pending" && next === "reversed" && oneTime === commission.id) return null;
  if (commission.status === "reversed" && next !== "reversed") return oneTime ?? commission.id;
  return oneTime;
}
