interface Reviewed {
  /** From when on only a member, or a confirmation, can approve a pending commission (ms). */
  readonly reviewSince: number | null;
}

/**
 * A partner sees `pending` until the commission would otherwise be approved, and from then on that it is under review.
 */
export const underReviewSince = ({ reviewSince }: Reviewed, at: number): number | null =>
  reviewSince !== null && reviewSince <= at ? reviewSince : null;
