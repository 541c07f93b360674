import * as rules from "../../domain/refund.ts";
import { insertEntry, setCommissionState } from "../../store/commissions.ts";
import { buyerOfSale, setOneTimeCommission } from "../../store/customers.ts";
import { insertRefund, matchingRefunds, type PriorRefund, priorRefunds, setCountedCents } from "../../store/refunds.ts";
import { type RecordedSale, saleByTransaction, setRefundedCents } from "../../store/sales.ts";
import type { Program } from "../../store/settings.ts";
import type { Write } from "../../store/statement.ts";
import { ledgerEntry } from "../attribution/commission-for-sale.ts";
import { customerLock, transactionLock } from "../attribution/resolve-customer.ts";
import { type Commit, type Deciding, type Gathered, type Operation, refuse } from "../operation.ts";
import {
  bookOf,
  cancelsUnknown,
  type Effect,
  newCall,
  noEffect,
  type RefundAnswer,
  type RefundCall,
  recordedRefund,
  refundRow,
  skippedRefund,
  storedCall,
} from "./refund.ts";

const saleLock = (call: RefundCall): string => transactionLock(bookOf(call), call.transactionId);

function gather(call: RefundCall) {
  const sale = { ...bookOf(call), transactionId: call.transactionId };
  return {
    recorded: saleByTransaction(sale),
    refunds: priorRefunds(sale),
    answered: matchingRefunds({ ...sale, operationId: call.operationId, refundId: call.refundId ?? null }),
    buyer: buyerOfSale(sale),
  };
}
type FoundRefund = Gathered<ReturnType<typeof gather>>;

interface Refundable {
  readonly recorded: RecordedSale;
  readonly refunds: readonly PriorRefund[];
  readonly buyer: FoundRefund["buyer"];
}

export const recordRefund: Operation<RefundCall, ReturnType<typeof gather>, RefundAnswer> = {
  needs: (call) => [{ kind: "program", programId: call.key.programId }],

  gather,

  chain: saleLock,

  // A call that moves the sale replays its refunds, so neither may overtake the other.
  locks(call, found) {
    const sale = saleLock(call);
    const customerId = found.recorded?.sale.customerId ?? undefined;
    if (customerId === undefined) return { exclusive: [sale] };
    const customer = customerLock(customerId);
    return mayChangeOneTime(found) ? { exclusive: [sale, customer] } : { exclusive: [sale], shared: [customer] };
  },

  decide(call, { recorded, refunds: all, answered, buyer }, context) {
    const refunds = all?.prior ?? [];
    const program = context.settings.program(call.key.programId);
    if (!program) return refuse({ code: "invalid_key" });
    if (recorded === undefined) return refuse({ code: "sale_not_found" });
    const own = answered.find(({ operationId }) => operationId === call.operationId);
    if (own !== undefined) {
      const earlier = refunds.filter(({ id }) => id < own.id);
      return recordedRefund(recorded, own, cancelsUnknown(earlier, call));
    }
    // A call of this chain that is decided but not yet written: its row hasn't been read, so this repeat waits for it.
    if (refunds.some(({ operationId }) => operationId === call.operationId)) {
      return skippedRefund(call, recorded, "duplicate refund_id");
    }

    const found: Refundable = { recorded, refunds, buyer };
    const deciding = { program, context, at: call.at };
    const decision = rules.decideRefund(refundable(found, program), refunds.map(storedCall), newCall(call), call.at);
    switch (decision.kind) {
      case "conflict":
        return refuse({ code: "refund_conflict", differences: decision.differences });
      case "exceeds":
        return refuse({ code: "refund_exceeds_sale", refundableCents: decision.refundableCents });
      case "duplicate": {
        const first = answered.find(({ id }) => id === refunds[decision.first]?.id);
        return skippedRefund(call, recorded, "duplicate refund_id", first);
      }
      case "skipped":
        return decision.isRecorded
          ? planRefund(call, found, noEffect(recorded, decision.reason), deciding)
          : skippedRefund(call, recorded, decision.reason);
      case "refund":
        return planRefund(call, found, decision, deciding);
    }
  },
};

function refundable(
  { recorded: { sale, commission }, refunds, buyer }: Refundable,
  program: Program,
): rules.RefundableSale {
  const policy = program.policies.find(({ id }) => id === commission.policyId);
  const oneTimeId = buyer?.oneTimeCommissionId ?? undefined;
  const isElsewhere =
    policy?.scope === "one_time" &&
    isOfBuyersPartner(buyer, commission) &&
    oneTimeId !== undefined &&
    oneTimeId !== commission.id;
  // A place that another sale took stays lost, even if that sale is refunded.
  const isLost = commission.initialCents === 0 && refunds.some((row) => row.outcomeReason === "one_time_used");
  return {
    amountCents: sale.amountCents,
    commission: {
      status: commission.status,
      isReserved: commission.lineId !== null,
      initialCents: commission.initialCents,
      amountCents: commission.amountCents,
      holdUntil: commission.holdUntil,
      unconfirmed: commission.isUnconfirmed,
      approvedBy: commission.approvedBy,
      isOneTimeUsed: isElsewhere || isLost,
    },
  };
}

/** The `one_time` place belongs to the customer's present partner: other partners' sales neither take it nor free it. */
const isOfBuyersPartner = (buyer: Refundable["buyer"], { partnerId }: RecordedSale["commission"]): boolean =>
  buyer !== undefined && partnerId !== null && buyer.partnerId === partnerId;

const mayChangeOneTime = ({ recorded, buyer }: Pick<FoundRefund, "recorded" | "buyer">): boolean =>
  recorded !== undefined &&
  isOfBuyersPartner(buyer, recorded.commission) &&
  (recorded.commission.status === "reversed" ||
    (recorded.commission.status === "pending" && buyer?.oneTimeCommissionId === recorded.commission.id));

/** The next call of the chain is decided by `then`, so it must equal what a read after these writes would find. */
function planRefund(call: RefundCall, found: Refundable, effect: Effect, deciding: Deciding): Commit<RefundAnswer> {
  const { recorded, refunds, buyer } = found;
  const { sale, commission } = recorded;
  const parts = rules.countRefunds(sale.amountCents, [...refunds.map(storedCall), newCall(call)]);
  const refund = refundRow(call, sale, { ...effect, countedCents: parts.at(-1) ?? 0 }, deciding);
  const recounted = refunds.map((row, i) => ({ ...row, countedCents: parts[i] ?? 0 }));
  const after = commissionAfter(recorded, effect, call.at);
  const oneTimeId = oneTimeAfter(buyer, recorded, effect);
  const writes: Write[] = [
    insertRefund(refund),
    ...recounted
      .filter(({ countedCents }, i) => countedCents !== refunds[i]?.countedCents)
      .map((row) => setCountedCents(row)),
  ];
  if (effect.refundedCents !== 0) {
    writes.push(setRefundedCents({ id: sale.id, refundedCents: effect.refundedTotalCents }));
  }
  if (after !== commission) writes.push(setCommissionState(after));
  const { commissionReversedCents: reversedCents } = effect;
  const { partnerId } = commission;
  if (reversedCents !== 0 && partnerId !== null) {
    const { id: refundId, occurredAt, day } = refund;
    const kind = reversedCents > 0 ? "reversed" : "restored";
    const entry = { kind, amountCents: -reversedCents, partnerId, refundId, occurredAt, day } as const;
    writes.push(insertEntry(ledgerEntry(commission, entry, deciding.context)));
  }
  if (buyer !== undefined && oneTimeId !== buyer.oneTimeCommissionId) {
    writes.push(setOneTimeCommission({ customerId: buyer.id, commissionId: oneTimeId }));
  }
  const isPending = effect.nextCommissionStatus === "pending" && effect.nextCommissionStatus !== commission.status;
  const then: Omit<FoundRefund, "answered"> = {
    recorded: {
      sale: { ...sale, refundedCents: effect.refundedTotalCents },
      commission: { ...after, amountCents: effect.commissionAmountCents },
    },
    refunds: { prior: [...recounted, refund] },
    buyer: buyer && { ...buyer, oneTimeCommissionId: oneTimeId },
  };
  return {
    ...recordedRefund(recorded, refund, cancelsUnknown(refunds, call)),
    writes,
    holdUntil: isPending ? (commission.holdUntil ?? undefined) : undefined,
    then,
  };
}

/** The same object if nothing changes. `amountCents` isn't updated: it follows from the entries. */
function commissionAfter({ commission }: RecordedSale, effect: Effect, at: number): RecordedSale["commission"] {
  const { nextCommissionStatus: status, initialCents } = effect;
  if (status === commission.status && initialCents === commission.initialCents) return commission;
  const isApprovedNow = status === "approved" && commission.approvedAt === null;
  const approval = isApprovedNow ? ({ approvedAt: at, approvedBy: "hold" } as const) : {};
  return { ...commission, status, initialCents, ...approval };
}

/** A full reversal of a pending commission frees the `one_time` place; a restored commission takes it again. */
function oneTimeAfter(buyer: Refundable["buyer"], { commission }: RecordedSale, effect: Effect): number | null {
  const oneTime = buyer?.oneTimeCommissionId ?? null;
  if (!isOfBuyersPartner(buyer, commission)) return oneTime;
  const { nextCommissionStatus: next } = effect;
  if (commission.status === "pending" && next === "reversed" && oneTime === commission.id) return null;
  if (commission.status === "reversed" && next !== "reversed") return oneTime ?? commission.id;
  return oneTime;
}
