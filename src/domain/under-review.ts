interface Reviewed {
  /**
   * The instant (ms) from which a pending commission can only be approved by a member or by a confirmation. Null if it
   * needs neither.
   */
  readonly reviewSince: number | null;
}

/**
 * The instant (ms) from which a partner sees that a commission is under review. Earlier, the commission wouldn't have
 * been approved anyway, so the partner sees it as pending.
 */
export const underReviewSince = ({ reviewSince }: Reviewed, at: number): number | null =>
  reviewSince !== null && reviewSince <= at ? reviewSince : null;
