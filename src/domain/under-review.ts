interface Reviewed {
  /** From when on only a person, or a confirmation, approves a pending commission (ms). */
  readonly reviewSince: number | null;
}

/** A partner sees `pending` until the commission would otherwise be approved, and that it is looked at from then on. */
export const underReviewSince = ({ reviewSince }: Reviewed, at: number): number | null =>
  reviewSince !== null && reviewSince <= at ? reviewSince : null;
