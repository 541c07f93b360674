interface Reviewed {
  /**
   * From when on a pending commission can only be approved by a member or by a confirmation (ms). Null if it needs
   * neither.
   */
  readonly reviewSince: number | null;
}

/**
 * Since when a partner sees that a commission is under review (ms). Until it would otherwise be approved, they see it
 * as pending.
 */
export const underReviewSince = ({ reviewSince }: Reviewed, at: number): number | null =>
  reviewSince !== null && reviewSince <= at ? reviewSince : null;
