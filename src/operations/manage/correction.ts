import { correctionRefundId } from "#domain/correction.ts";
import { scaledItems } from "#domain/items.ts";
import type { RecordedSale, SaleRow } from "#store/sales.ts";
import type { VerifiedClick } from "../operation.ts";
import type { RefundCall } from "../track/refund.ts";
import { detailsOf, type SaleCall } from "../track/sale.ts";
import type { ChangeCall } from "./settings-change.ts";

export interface SaleCorrection {
  readonly amountCents?: number | undefined;
  readonly currency?: string | undefined;
  readonly customerKey?: string | undefined;
  readonly occurredAt?: number | undefined;
}

export interface CorrectSaleCall extends ChangeCall {
  readonly kind: "correct-sale";
  /** The stored sale, as the route read it. Its attribution and refunded amount may have changed since. */
  readonly sale: SaleRow;
  /** The key of the sale's customer. Null if the customer is known only by clicks. */
  readonly customerKey: string | null;
  /** The transaction id with which the sale was first reported. */
  readonly firstTransactionId: string;
  /** Set if the sale's customer has no customer key and gets the new one. */
  readonly isNaming?: true;
  /** True while an erasure of the sale's customer is running. */
  readonly isBeingErased?: boolean;
  /** The click that the sale was sent with, if its signature is valid. */
  readonly clicks: readonly VerifiedClick[];
  readonly changes: SaleCorrection;
  readonly reason: string;
  readonly isDryRun: boolean;
}

export interface CorrectedSale {
  readonly recorded: RecordedSale;
  readonly customerKey: string | null;
}

export interface SaleCorrected {
  readonly before: CorrectedSale;
  readonly after: CorrectedSale;
}

export const keyAfter = ({ changes, customerKey }: CorrectSaleCall): string | null =>
  changes.customerKey ?? customerKey;

export const isSameCustomer = (call: CorrectSaleCall): boolean =>
  keyAfter(call) === call.customerKey || call.isNaming === true;

/** True if the stored sale already has the corrected values. */
export function isAsCorrected(call: CorrectSaleCall, sale: RecordedSale["sale"]): boolean {
  const { amountCents, currency, occurredAt } = { ...call.sale, ...given(call.changes) };
  // A customer known only by clicks may have received a customer key since the route read the sale.
  const isOfCustomer = isSameCustomer(call)
    ? sale.customerId === call.sale.customerId
    : sale.sentCustomerKey === keyAfter(call);
  return (
    isOfCustomer && sale.amountCents === amountCents && sale.currency === currency && sale.occurredAt === occurredAt
  );
}

/**
 * True if the sale already has the corrected values. A correction to another customer always changes the sale, even if
 * the sale was reported with that customer's key: the sale may belong to its subscription's customer instead.
 */
export const changesNothing = (call: CorrectSaleCall, sale: RecordedSale["sale"]): boolean =>
  isSameCustomer(call) && isAsCorrected(call, sale);

const given = ({ amountCents, currency, occurredAt }: SaleCorrection) => ({
  ...(amountCents !== undefined && { amountCents }),
  ...(currency !== undefined && { currency }),
  ...(occurredAt !== undefined && { occurredAt }),
});

const numberOf = ({ sale }: CorrectSaleCall): number => (sale.correction ?? 0) + 1;

/** The call that refunds the rest of the sale. */
export const undoing = (call: CorrectSaleCall) =>
  ({
    kind: "refund",
    operationId: call.operationId,
    at: call.at,
    isTest: false,
    key: { programId: call.programId, vouched: true },
    transactionId: call.sale.transactionId,
    refundId: correctionRefundId(numberOf(call)),
    asked: "rest",
    cents: null,
    chargeTotalCents: null,
    reason: null,
    occurredAt: call.at,
    sentOccurredAt: false,
  }) satisfies RefundCall;

/** The call that records the sale again with the corrected values. */
export function saleAgain(call: CorrectSaleCall) {
  const { sale, firstTransactionId } = call;
  const number = numberOf(call);
  return {
    kind: "sale",
    operationId: call.operationId,
    at: call.at,
    isTest: false,
    key: { programId: call.programId, vouched: true },
    transactionId: `${firstTransactionId}~${number}`,
    customerKey: keyAfter(call),
    clickId: sale.sentClickId,
    clicks: call.clicks,
    sentClickId: sale.sentClickId !== null,
    sentOccurredAt: true,
    ...detailsOf(sale),
    items: scaledItems(sale, call.changes.amountCents ?? sale.amountCents),
    amountCents: sale.amountCents,
    currency: sale.currency,
    occurredAt: sale.occurredAt,
    ...given(call.changes),
    corrects: {
      saleId: sale.correctedSaleId ?? sale.id,
      number,
      occurredAt: sale.occurredAt,
      isErased: sale.isErased && isSameCustomer(call),
    },
  } satisfies SaleCall;
}
