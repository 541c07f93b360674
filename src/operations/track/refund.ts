import { dayIn } from "#domain/calendar.ts";
import type { CommissionId, ProgramId, SaleId } from "#domain/ids.ts";
import type * as rules from "#domain/refund.ts";
import { type CountedRefunds, countRefunds, type RefundCall as ToldRefund } from "#domain/refund-count.ts";
import type { RefundStatus } from "#domain/refund-status.ts";
import type { PriorRefund, RefundRow } from "#store/refunds.ts";
import type { RecordedSale } from "#store/sales.ts";
import type { Call, Commit, Credential, Deciding } from "../operation.ts";

export interface RefundCall extends Call {
  readonly kind: "refund";
  readonly isTest: boolean;
  readonly key: Credential;
  readonly transactionId: string;
  readonly refundId: string | null;
  /** The id as sent, if `refundId` is a pseudonym because the refund belongs to an erased customer. */
  readonly sentRefundId?: string;
  /**
   * The name of the field that contains a placeholder id (such as `undefined`). Such an id is accepted only if a refund
   * with this id exists.
   */
  readonly placeholder?: string | undefined;
  readonly asked: ToldRefund["asked"];
  readonly cents: number | null;
  readonly chargeTotalCents: number | null;
  readonly reason: string | null;
  readonly occurredAt: number;
  readonly sentOccurredAt: boolean;
}

export interface RefundAnswer {
  readonly programId: ProgramId;
  readonly eventId: number | undefined;
  readonly saleId: SaleId;
  readonly commissionId: CommissionId;
  readonly status: RefundStatus;
  readonly reason: rules.SkippedReason | "one_time_used" | undefined;
  readonly isUnknown: boolean;
  readonly refundId: string | null;
  /** Negative if a cancellation restored a part of the sale. */
  readonly refundedCents: number;
  readonly refundedTotalCents: number;
  readonly commissionReversedCents: number;
  readonly commissionAmountCents: number;
}

export const bookOf = ({ key, isTest }: RefundCall) => ({ programId: key.programId, isTest });

/** Earlier refund calls of a sale. Calls of one round share the object, so that the sums are computed once. */
export class RefundHistory {
  readonly rows: readonly PriorRefund[];
  #counted: CountedRefunds | undefined;

  constructor(rows: readonly PriorRefund[], counted?: CountedRefunds) {
    this.rows = rows;
    this.#counted = counted;
  }

  countedOf({ amountCents }: RecordedSale["sale"]): CountedRefunds {
    this.#counted ??= countRefunds(amountCents, this.rows.map(storedCall));
    return this.#counted;
  }
}

/** Converts a call to the form of the refund rules in `domain`. */
const told = (
  { refundId, asked, cents, chargeTotalCents }: Pick<RefundCall, "refundId" | "asked" | "cents" | "chargeTotalCents">,
  occurredAt: number | null,
  receivedAt: number,
): ToldRefund => ({
  refundId: refundId ?? undefined,
  asked,
  cents: cents ?? undefined,
  chargeTotalCents: chargeTotalCents ?? undefined,
  occurredAt: occurredAt ?? undefined,
  receivedAt,
});

export const storedCall = (row: PriorRefund): ToldRefund =>
  told({ ...row, cents: row.toldCents }, row.toldAt, row.createdAt);

export const newCall = (call: RefundCall): ToldRefund => told(call, toldAt(call), call.at);

const toldAt = ({ sentOccurredAt, occurredAt }: RefundCall): number | null => (sentOccurredAt ? occurredAt : null);

export const cancelsUnknown = (earlier: readonly PriorRefund[], { refundId, asked }: RefundCall): boolean =>
  asked === "cancel" && !earlier.some((row) => row.refundId === refundId);

export type Effect = Omit<rules.RefundEffect, "kind" | "status" | "reason"> & {
  readonly status: RefundStatus;
  readonly reason: RefundAnswer["reason"];
};

/** For a call that changes nothing now but is recorded, because it may change something later. */
export const noEffect = ({ sale, commission }: RecordedSale, reason: rules.SkippedReason): Effect => ({
  refundedCents: 0,
  refundedTotalCents: sale.refundedCents,
  commissionReversedCents: 0,
  commissionAmountCents: commission.amountCents,
  initialCents: commission.initialCents,
  status: "skipped",
  reason,
  nextCommissionStatus: commission.status,
});

/** Answers a call that isn't recorded. If it repeats a refund, the reply has the values of the refund's first call. */
export function skippedRefund(
  call: RefundCall,
  { sale, commission }: RecordedSale,
  reason: rules.SkippedReason,
  first?: PriorRefund,
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
      refundId: call.sentRefundId ?? call.refundId,
      refundedCents: first?.refundedCents ?? 0,
      refundedTotalCents: first?.refundedTotalCents ?? sale.refundedCents,
      commissionReversedCents: first?.commissionReversedCents ?? 0,
      commissionAmountCents: first?.commissionAmountCents ?? commission.amountCents,
    },
  };
}

export const recordedRefund = (
  { sale, commission }: RecordedSale,
  row: PriorRefund,
  {
    isUnknown,
    sentRefundId = row.refundId,
  }: { readonly isUnknown: boolean; readonly sentRefundId?: string | null | undefined },
): Commit<RefundAnswer> => ({
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
    refundId: sentRefundId,
    refundedCents: row.refundedCents,
    refundedTotalCents: row.refundedTotalCents,
    commissionReversedCents: row.commissionReversedCents,
    commissionAmountCents: row.commissionAmountCents,
  },
});

/** A refund can't be earlier than its sale, so an earlier instant is stored as that of the sale. */
export function refundRow(
  call: RefundCall,
  sale: RecordedSale["sale"],
  { countedCents, ...effect }: Effect & { readonly countedCents: number },
  { program, context }: Deciding,
): RefundRow {
  const { operationId, refundId, asked, cents: toldCents, chargeTotalCents, reason } = call;
  const occurredAt = Math.max(call.occurredAt, sale.occurredAt);
  return {
    ...bookOf(call),
    id: context.newId("refunds"),
    saleId: sale.id,
    operationId,
    refundId,
    asked,
    toldCents,
    chargeTotalCents,
    reason,
    toldAt: toldAt(call),
    refundedCents: effect.refundedCents,
    refundedTotalCents: effect.refundedTotalCents,
    commissionReversedCents: effect.commissionReversedCents,
    commissionAmountCents: effect.commissionAmountCents,
    status: effect.status,
    outcomeReason: effect.reason ?? null,
    countedCents,
    currency: sale.currency,
    partnerId: sale.partnerId,
    occurredAt,
    createdAt: call.at,
    day: dayIn(program.timezone, occurredAt),
  };
}
