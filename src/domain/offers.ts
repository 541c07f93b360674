/** The payment processors whose SDK helper reports the ids of discounts. `other` is any other way to take payments. */
export const offerProcessors = ["stripe", "paddle", "lemonSqueezy", "polar", "other"] as const;

export type OfferProcessor = (typeof offerProcessors)[number];

/** The discount's id at each processor. A checkout applies this id, and a sale is reported with it as its coupon. */
export type OfferCoupons = { readonly [Processor in OfferProcessor]?: string };

/** The discount for customers who come through a partner. */
export interface OfferTerms {
  readonly label: string;
  readonly details: string | null;
  readonly couponIds: OfferCoupons;
  /** The last instant of the offer (ms). Null if it has no end. */
  readonly until: number | null;
}

/** `none`: there is no offer. `inherited`: the group has the program's offer. */
export const offerStates = ["given", "none", "inherited"] as const;

/** A version of the offer of a program or of one of its groups. Only a version in state `given` has terms. */
export interface OfferVersion {
  readonly state: (typeof offerStates)[number];
  readonly label: string | null;
  readonly details: string | null;
  readonly couponIds: OfferCoupons | null;
  readonly until: number | null;
}

export function termsOfOffer({ state, label, details, couponIds, until }: OfferVersion): OfferTerms | undefined {
  return state === "given" && label !== null && couponIds !== null ? { label, details, couponIds, until } : undefined;
}

/**
 * Returns the terms of the offer of a partner. `versions` are the versions in force, the group's before the program's.
 */
export function offerOf(versions: readonly OfferVersion[]): OfferTerms | undefined {
  const deciding = versions.find(({ state }) => state !== "inherited");
  return deciding && termsOfOffer(deciding);
}

export const isOfferOver = ({ until }: Pick<OfferTerms, "until">, at: number): boolean => until !== null && at > until;
