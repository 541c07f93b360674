/**
 * `rest` refunds everything that is left. `cancel` cancels a refund for good. `cancel_total` lowers a refund's running
 * total.
 */
export const refundRequests = ["rest", "amount", "total", "cancel", "cancel_total"] as const;
export type RefundRequest = (typeof refundRequests)[number];

export const refundStatuses = ["refunded", "reversed", "no_commission", "restored", "skipped"] as const;
export type RefundStatus = (typeof refundStatuses)[number];
