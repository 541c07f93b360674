/** The refund id of a sale's correction. Corrections of a sale are numbered from 1. */
export const correctionRefundId = (number: number): string => `correction-${number}`;

/**
 * Returns the number of the correction whose refund has this id. Callers may also have chosen such an id for a refund of
 * their own.
 */
export const correctionNumber = (refundId: string | null): string | undefined =>
  /^correction-(\d+)$/.exec(refundId ?? "")?.[1];
