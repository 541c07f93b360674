/** The processors whose helper sends the id of a discount. `other` is for any other way to take payments. */
export const offerProcessors = ["stripe", "paddle", "lemonSqueezy", "polar", "other"] as const;

export type OfferProcessor = (typeof offerProcessors)[number];

/** The discount's id at each processor: what a checkout applies, and what a sale is reported with. */
export type OfferCoupons = { readonly [Processor in OfferProcessor]?: string };

/** What customers get who come through a partner. */
export interface OfferTerms {
  readonly label: string;
  readonly details: string | null;
  readonly couponIds: OfferCoupons;
  /** The last instant of the offer (ms). Null: no end. */
  readonly until: number | null;
}

/** `none`: there is no offer. `inherited`: the program's offer counts for the group. */
export const offerStates = ["given", "none", "inherited"] as const;

/** A version of the offer of a program or of one of its groups. Only one that is `given` has terms. */
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

/** The terms that count for a partner. `versions` are those in force, the group's before the program's. */
export function offerOf(versions: readonly OfferVersion[]): OfferTerms | undefined {
  const deciding = versions.find(({ state }) => state !== "inherited");
  return deciding && termsOfOffer(deciding);
}

export const isOfferOver = ({ until }: Pick<OfferTerms, "until">, at: number): boolean => until !== null && at > until;
