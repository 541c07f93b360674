interface Unconfirmed {
  /** The end of the hold (ms) of a pending commission that only a confirmation can release. */
  readonly unconfirmedSince: number | null;
}

/** A partner sees `pending` until the commission would otherwise be approved, and that it is looked at from then on. */
export const underReviewSince = ({ unconfirmedSince }: Unconfirmed, at: number): number | null =>
  unconfirmedSince !== null && unconfirmedSince <= at ? unconfirmedSince : null;
