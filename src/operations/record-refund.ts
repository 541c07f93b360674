import { dayIn } from "../domain/calendar.ts";
import { decideRefund, type EarlierRefund, type RefundDecision } from "../domain/refund.ts";
import {
  insertEntry,
  insertRefund,
  type RecordedSale,
  type RefundRow,
  refundsOfSale,
  saleByTransaction,
  setCommissionStatus,
  setRefunded,
} from "../store/sales.ts";
import type { Program } from "../store/settings.ts";
import type { Write } from "../store/statement.ts";
import { entryOf } from "./credit-sale.ts";
import { type Authority, type Call, type Commit, type Context, type Operation, refuse } from "./operation.ts";
import { customerLock, transactionLock } from "./settle-customer.ts";

export interface RefundCall extends Call {
  readonly kind: "refund";
  readonly isTest: boolean;
  readonly key: Authority;
  readonly transactionId: string;
  /** Smallest unit of the sale's currency. Absent, with `totalCents` absent too: all that is left. */
  readonly amountCents: number | undefined;
  /** The running total instead of an amount. */
  readonly totalCents: number | undefined;
  readonly refundId: string | undefined;
  readonly reason: string | undefined;
  /** When it happened, in milliseconds; never after `at`. */
  readonly occurredAt: number;
}

export type RefundStatus = "refunded" | "reversed" | "no_commission" | "skipped";

export interface RefundAnswer {
  readonly programId: number;
  /** Integer id of the refund's record; undefined where a refund was skipped and none was ever recorded. */
  readonly eventId: number | undefined;
  readonly saleId: number;
  readonly commissionId: number;
  readonly status: RefundStatus;
  readonly skipped: "duplicate refund_id" | "already reversed" | "already refunded" | undefined;
  /** The caller's `refund_id`. */
  readonly refundId: string | undefined;
  readonly refundedCents: number;
  readonly refundedTotalCents: number;
  readonly commissionReversedCents: number;
  readonly commissionAmountCents: number;
}

const bookOf = ({ key, isTest }: RefundCall) => ({ programId: key.programId, isTest });

function gather(call: RefundCall) {
  const sale = { ...bookOf(call), transactionId: call.transactionId };
  return { recorded: saleByTransaction(sale), refunds: refundsOfSale(sale) };
}

export const recordRefund: Operation<RefundCall, ReturnType<typeof gather>, RefundAnswer> = {
  needs: (call) => [{ kind: "program", programId: call.key.programId }],

  gather,

  // A lead that attributes the sale replays its refunds, so one must wait for the other.
  locks(call, { recorded }) {
    const sale = transactionLock(bookOf(call), call.transactionId);
    const customerId = recorded?.sale.customerId ?? undefined;
    return { exclusive: customerId === undefined ? [sale] : [sale, customerLock(customerId)] };
  },

  decide(call, { recorded, refunds }, context) {
    const program = context.settings.program(call.key.programId);
    if (!program) return refuse({ code: "invalid_key" });
    if (recorded === undefined) return refuse({ code: "sale_not_found" });
    const own = refunds.find(({ operationId }) => operationId === call.operationId);
    if (own !== undefined) return answered(call, recorded, own, own.status);

    const earlier = refunds.find(({ refundId }) => call.refundId !== undefined && refundId === call.refundId);
    const decision = decideRefund(refundable(recorded), call, earlier);
    switch (decision.kind) {
      case "conflict":
        return refuse({ code: "refund_conflict", differences: decision.differences });
      case "exceeds":
        return refuse({ code: "refund_exceeds_sale", refundableCents: decision.refundableCents });
      case "skipped":
        return answered(call, recorded, earlier ?? refunds.at(-1), "skipped", decision.reason);
      case "refund":
        return commit(call, recorded, decision, program, context);
    }
  },
};

const refundable = ({ sale, commission }: RecordedSale) => ({
  amountCents: sale.amountCents,
  refundedCents: sale.refundedCents,
  commission,
});

/** What was recorded before. Where nothing was done, nothing is said to have been refunded or reversed. */
function answered(
  call: RefundCall,
  { sale, commission }: RecordedSale,
  refund: (EarlierRefund & Pick<RefundRow, "id" | "refundId">) | undefined,
  status: RefundStatus,
  skipped?: NonNullable<RefundAnswer["skipped"]>,
): Commit<RefundAnswer> {
  const isFirst = skipped === undefined || skipped === "duplicate refund_id";
  const figures = isFirst ? refund : undefined;
  return {
    kind: "commit",
    programId: sale.programId,
    writes: [],
    answer: {
      programId: sale.programId,
      eventId: refund?.id,
      saleId: sale.id,
      commissionId: commission.id,
      status,
      skipped,
      refundId: call.refundId,
      refundedCents: figures?.refundedCents ?? 0,
      refundedTotalCents: figures?.refundedTotalCents ?? sale.refundedCents,
      commissionReversedCents: figures?.commissionReversedCents ?? 0,
      commissionAmountCents: figures?.commissionAmountCents ?? commission.amountCents,
    },
  };
}

function commit(
  call: RefundCall,
  recorded: RecordedSale,
  decision: RefundDecision & { kind: "refund" },
  program: Program,
  context: Context,
): Commit<RefundAnswer> {
  const { sale, commission } = recorded;
  const refund = refundRow(call, recorded, decision, program, context);
  const writes: Write[] = [
    insertRefund(refund),
    setRefunded({ id: sale.id, refundedCents: decision.refundedTotalCents }),
  ];
  if (decision.nextCommissionStatus !== commission.status) {
    writes.push(setCommissionStatus({ id: commission.id, status: decision.nextCommissionStatus }));
  }
  if (decision.commissionReversedCents > 0 && commission.partnerId !== null) {
    const reversed = {
      id: context.newId("ledgerEntries"),
      kind: "reversed",
      amountCents: -decision.commissionReversedCents,
      refundId: refund.id,
      occurredAt: refund.occurredAt,
      createdAt: call.at,
    } as const;
    writes.push(insertEntry(entryOf(sale, commission, commission.partnerId, reversed, program.timezone)));
  }
  return { ...answered(call, recorded, refund, decision.status), writes };
}

/** A refund cannot come before its sale: an earlier instant counts as the sale's. */
function refundRow(
  call: RefundCall,
  { sale }: RecordedSale,
  decision: RefundDecision & { kind: "refund" },
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
    asked: call.amountCents !== undefined ? "amount" : call.totalCents !== undefined ? "total" : "rest",
    refundedCents: decision.refundedCents,
    refundedTotalCents: decision.refundedTotalCents,
    commissionReversedCents: decision.commissionReversedCents,
    commissionAmountCents: decision.commissionAmountCents,
    status: decision.status,
    reason: call.reason ?? null,
    currency: sale.currency,
    partnerId: sale.partnerId,
    occurredAt,
    createdAt: call.at,
    day: dayIn(program.timezone, occurredAt),
  };
}
