import { dayIn } from "../../domain/calendar.ts";
import * as rules from "../../domain/refund.ts";
import { insertEntry, setCommissionState } from "../../store/commissions.ts";
import { buyerOfSale, setOneTimeCommission } from "../../store/customers.ts";
import {
  insertRefund,
  matchingRefunds,
  type PriorRefund,
  priorRefunds,
  type RefundRow,
  setCountedCents,
} from "../../store/refunds.ts";
import { type RecordedSale, saleByTransaction, setRefundedCents } from "../../store/sales.ts";
import type { Program } from "../../store/settings.ts";
import type { Write } from "../../store/statement.ts";
import { entryOf } from "../attribution/commission-for-sale.ts";
import { customerLock, transactionLock } from "../attribution/resolve-customer.ts";
import {
  type Call,
  type Commit,
  type Context,
  type Credential,
  type Gathered,
  type Operation,
  refuse,
} from "../operation.ts";

export interface RefundCall extends Call {
  readonly kind: "refund";
  readonly isTest: boolean;
  readonly key: Credential;
  readonly transactionId: string;
  readonly refundId: string | undefined;
  readonly asked: rules.RefundCall["asked"];
  /** Of what is asked: see `rules.RefundCall`. */
  readonly cents: number | undefined;
  readonly chargeTotalCents: number | undefined;
  readonly reason: string | undefined;
  /** When it happened, in milliseconds; never after `at`. */
  readonly occurredAt: number;
  readonly sentOccurredAt: boolean;
}

export type RefundStatus = RefundRow["status"];

export interface RefundAnswer {
  readonly programId: number;
  /** Integer id of the refund's record; undefined where a refund was skipped and none was ever recorded. */
  readonly eventId: number | undefined;
  readonly saleId: number;
  readonly commissionId: number;
  readonly status: RefundStatus;
  readonly reason: rules.SkippedReason | "one_time_used" | undefined;
  /** Whether it cancels a refund that was never told. */
  readonly isUnknown: boolean;
  /** The caller's `refund_id`. */
  readonly refundId: string | undefined;
  /** Below 0: what a cancel gave back. */
  readonly refundedCents: number;
  readonly refundedTotalCents: number;
  readonly commissionReversedCents: number;
  readonly commissionAmountCents: number;
}

const bookOf = ({ key, isTest }: RefundCall) => ({ programId: key.programId, isTest });
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
type Read = Gathered<ReturnType<typeof gather>>;
interface Found extends Pick<Read, "buyer"> {
  readonly refunds: readonly PriorRefund[];
}

export const recordRefund: Operation<RefundCall, ReturnType<typeof gather>, RefundAnswer> = {
  needs: (call) => [{ kind: "program", programId: call.key.programId }],

  gather,

  chain: saleLock,

  // A call that moves the sale replays its refunds, so one must wait for the other.
  locks(call, found) {
    const sale = saleLock(call);
    const customerId = found.recorded?.sale.customerId ?? undefined;
    if (customerId === undefined) return { exclusive: [sale] };
    const customer = customerLock(customerId);
    return mayChangeOneTime(found) ? { exclusive: [sale, customer] } : { exclusive: [sale], shared: [customer] };
  },

  decide(call, { recorded, refunds: all, answered: rows, buyer }, context) {
    const refunds = all?.prior ?? [];
    const found: Found = { refunds, buyer };
    const program = context.settings.program(call.key.programId);
    if (!program) return refuse({ code: "invalid_key" });
    if (recorded === undefined) return refuse({ code: "sale_not_found" });
    const own = rows.find(({ operationId }) => operationId === call.operationId);
    if (own !== undefined) {
      const earlier = refunds.filter(({ id }) => id < own.id);
      return answered(recorded, own, isUnknownTo(earlier, call));
    }
    // By a call that it is decided behind, and whose row it hasn't read: it waits for that.
    if (refunds.some(({ operationId }) => operationId === call.operationId)) {
      return skipped(call, recorded, "duplicate refund_id");
    }

    const told = refunds.map(callOf);
    const decision = rules.decideRefund(refundable(found, recorded, program), told, tellingOf(call), call.at);
    switch (decision.kind) {
      case "conflict":
        return refuse({ code: "refund_conflict", differences: decision.differences });
      case "exceeds":
        return refuse({ code: "refund_exceeds_sale", refundableCents: decision.refundableCents });
      case "duplicate":
        return skipped(
          call,
          recorded,
          "duplicate refund_id",
          rows.find(({ id }) => id === refunds[decision.first]?.id),
        );
      case "skipped":
        return decision.isRecorded
          ? record(call, found, recorded, unchanged(recorded, decision.reason), program, context)
          : skipped(call, recorded, decision.reason);
      case "refund":
        return record(call, found, recorded, decision, program, context);
    }
  },
};

/** What a recorded call told. One of the release before told what it added. */
const callOf = (row: PriorRefund): rules.RefundCall => ({
  refundId: row.refundId ?? undefined,
  asked: row.asked === "total" && row.toldCents === null ? "amount" : row.asked,
  cents: row.toldCents ?? (row.asked === "amount" || row.asked === "total" ? row.refundedCents : undefined),
  chargeTotalCents: row.chargeTotalCents ?? undefined,
  toldAt: row.toldAt ?? undefined,
  receivedAt: row.createdAt,
});

const tellingOf = (call: RefundCall): rules.RefundCall => ({
  refundId: call.refundId,
  asked: call.asked,
  cents: call.cents,
  chargeTotalCents: call.chargeTotalCents,
  toldAt: call.sentOccurredAt ? call.occurredAt : undefined,
  receivedAt: call.at,
});

const isUnknownTo = (earlier: readonly PriorRefund[], { refundId, asked }: RefundCall): boolean =>
  asked === "cancel" && !earlier.some((row) => row.refundId === refundId);

function refundable(
  { buyer, refunds }: Found,
  { sale, commission }: RecordedSale,
  program: Program,
): rules.RefundableSale {
  const policy = program.policies.find(({ id }) => id === commission.policyId);
  const oneTimeId = buyer?.oneTimeCommissionId ?? undefined;
  const isElsewhere =
    policy?.scope === "one_time" &&
    isOfBuyersPartner(buyer, commission) &&
    oneTimeId !== undefined &&
    oneTimeId !== commission.id;
  // Once lost to another sale, the place is lost for good, whatever becomes of that one.
  const isLost = commission.initialCents === 0 && refunds.some((row) => row.outcomeReason === "one_time_used");
  return {
    amountCents: sale.amountCents,
    commission: {
      status: commission.status,
      initialCents: commission.initialCents,
      amountCents: commission.amountCents,
      holdUntil: commission.holdUntil,
      unconfirmed: commission.isUnconfirmed,
      approvedBy: commission.approvedBy,
      isOneTimeUsed: isElsewhere || isLost,
    },
  };
}

/** The place is the customer's with their present partner: a sale that has yet to follow, or that stayed, has no part in it. */
const isOfBuyersPartner = (buyer: Found["buyer"], { partnerId }: RecordedSale["commission"]): boolean =>
  buyer !== undefined && partnerId !== null && buyer.partnerId === partnerId;

/** Whether a refund may give the customer's `one_time` place back, or take it again. */
const mayChangeOneTime = ({ recorded, buyer }: Pick<Read, "recorded" | "buyer">): boolean =>
  recorded !== undefined &&
  isOfBuyersPartner(buyer, recorded.commission) &&
  (recorded.commission.status === "reversed" ||
    (recorded.commission.status === "pending" && buyer?.oneTimeCommissionId === recorded.commission.id));

type Effect = Omit<rules.RefundEffect, "kind" | "status" | "reason"> & {
  readonly status: RefundStatus;
  readonly reason: RefundAnswer["reason"];
};

/** A call that changes nothing now, and is kept because it may count later. */
const unchanged = ({ sale, commission }: RecordedSale, reason: rules.SkippedReason): Effect => ({
  refundedCents: 0,
  refundedTotalCents: sale.refundedCents,
  commissionReversedCents: 0,
  commissionAmountCents: commission.amountCents,
  initialCents: commission.initialCents,
  status: "skipped",
  reason,
  nextCommissionStatus: commission.status,
});

/** A call that is not recorded: what the first one of its id came to, or that nothing was done. */
function skipped(
  call: RefundCall,
  { sale, commission }: RecordedSale,
  reason: rules.SkippedReason,
  first?: RefundRow,
): Commit<RefundAnswer> {
  return {
    kind: "commit",
    programId: sale.programId,
    writes: [],
    answer: {
      programId: sale.programId,
      eventId: first?.id,
      saleId: sale.id,
      commissionId: commission.id,
      status: "skipped",
      reason,
      isUnknown: false,
      refundId: call.refundId,
      refundedCents: first?.refundedCents ?? 0,
      refundedTotalCents: first?.refundedTotalCents ?? sale.refundedCents,
      commissionReversedCents: first?.commissionReversedCents ?? 0,
      commissionAmountCents: first?.commissionAmountCents ?? commission.amountCents,
    },
  };
}

const answered = ({ sale, commission }: RecordedSale, row: RefundRow, isUnknown: boolean): Commit<RefundAnswer> => ({
  kind: "commit",
  programId: sale.programId,
  writes: [],
  answer: {
    programId: sale.programId,
    eventId: row.id,
    saleId: sale.id,
    commissionId: commission.id,
    status: row.status,
    reason: (row.outcomeReason as RefundAnswer["reason"] | null) ?? undefined,
    isUnknown,
    refundId: row.refundId ?? undefined,
    refundedCents: row.refundedCents,
    refundedTotalCents: row.refundedTotalCents,
    commissionReversedCents: row.commissionReversedCents,
    commissionAmountCents: row.commissionAmountCents,
  },
});

function record(
  call: RefundCall,
  { refunds, buyer }: Found,
  recorded: RecordedSale,
  effect: Effect,
  program: Program,
  context: Context,
): Commit<RefundAnswer> {
  const { sale, commission } = recorded;
  const parts = rules.countRefunds(sale.amountCents, [...refunds.map(callOf), tellingOf(call)]);
  const refund = refundRow(call, recorded, effect, parts.at(-1) ?? 0, program, context);
  const recounted = refunds.map((row, i) => ({ ...row, countedCents: parts[i] ?? 0 }));
  const writes: Write[] = [
    insertRefund(refund),
    ...recounted
      .filter(({ countedCents }, i) => countedCents !== refunds[i]?.countedCents)
      .map((row) => setCountedCents(row)),
  ];
  if (effect.refundedCents !== 0) {
    writes.push(setRefundedCents({ id: sale.id, refundedCents: effect.refundedTotalCents }));
  }
  const after = commissionAfter(recorded, effect, call.at);
  if (after !== commission) writes.push(setCommissionState(after));
  const { commissionReversedCents: reversedCents } = effect;
  if (reversedCents !== 0 && commission.partnerId !== null) {
    const { id: refundId, occurredAt, day } = refund;
    const kind = reversedCents > 0 ? "reversed" : "restored";
    const entry = { kind, amountCents: -reversedCents, refundId, occurredAt, day } as const;
    writes.push(insertEntry(entryOf(sale, commission, commission.partnerId, entry, context)));
  }
  const oneTimeId = oneTimeAfter(buyer, recorded, effect);
  if (buyer !== undefined && oneTimeId !== buyer.oneTimeCommissionId) {
    writes.push(setOneTimeCommission({ customerId: buyer.id, commissionId: oneTimeId }));
  }
  const isUnknown = isUnknownTo(refunds, call);
  const isPending = effect.nextCommissionStatus === "pending" && effect.nextCommissionStatus !== commission.status;
  const then: Omit<Read, "answered"> = {
    recorded: {
      sale: { ...sale, refundedCents: effect.refundedTotalCents },
      commission: { ...after, amountCents: effect.commissionAmountCents },
    },
    refunds: { prior: [...recounted, refund] },
    buyer: buyer && { ...buyer, oneTimeCommissionId: oneTimeId },
  };
  return {
    ...answered(recorded, refund, isUnknown),
    writes,
    holdUntil: isPending ? (commission.holdUntil ?? undefined) : undefined,
    then,
  };
}

/** The commission's own row, apart from what its entries come to. */
function commissionAfter({ commission }: RecordedSale, effect: Effect, at: number): RecordedSale["commission"] {
  const { nextCommissionStatus: status, initialCents } = effect;
  if (status === commission.status && initialCents === commission.initialCents) return commission;
  const isApprovedNow = status === "approved" && commission.approvedAt === null;
  const approval = isApprovedNow ? ({ approvedAt: at, approvedBy: "hold" } as const) : {};
  return { ...commission, status, initialCents, ...approval };
}

/** One that is taken back whole while it is pending gives the place back; one that is restored takes it again. */
function oneTimeAfter(buyer: Found["buyer"], { commission }: RecordedSale, effect: Effect): number | null {
  const oneTime = buyer?.oneTimeCommissionId ?? null;
  if (!isOfBuyersPartner(buyer, commission)) return oneTime;
  const { nextCommissionStatus: next } = effect;
  if (commission.status === "pending" && next === "reversed" && oneTime === commission.id) return null;
  if (commission.status === "reversed" && next !== "reversed") return oneTime ?? commission.id;
  return oneTime;
}

/** A refund cannot come before its sale: an earlier instant counts as the sale's. */
function refundRow(
  call: RefundCall,
  { sale }: RecordedSale,
  effect: Effect,
  countedCents: number,
  program: Program,
  context: Context,
): RefundRow {
  const occurredAt = Math.max(call.occurredAt, sale.occurredAt);
  return {
    ...bookOf(call),
    id: context.newId("refunds"),
    saleId: sale.id,
    operationId: call.operationId,
    refundId: call.refundId ?? null,
    asked: call.asked,
    toldCents: call.cents ?? null,
    chargeTotalCents: call.chargeTotalCents ?? null,
    toldAt: call.sentOccurredAt ? call.occurredAt : null,
    refundedCents: effect.refundedCents,
    refundedTotalCents: effect.refundedTotalCents,
    commissionReversedCents: effect.commissionReversedCents,
    commissionAmountCents: effect.commissionAmountCents,
    status: effect.status,
    outcomeReason: effect.reason ?? null,
    reason: call.reason ?? null,
    countedCents,
    currency: sale.currency,
    partnerId: sale.partnerId,
    occurredAt,
    createdAt: call.at,
    day: dayIn(program.timezone, occurredAt),
  };
}
