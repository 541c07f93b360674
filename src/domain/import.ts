import type { SealedPaymentDetails } from "./payment-details.ts";
import type { ActiveStatus } from "./program-status.ts";

export const importKinds = ["partners", "customers", "coupons", "balances"] as const;
export type ImportKind = (typeof importKinds)[number];

export const importResults = ["created", "updated", "unchanged", "refused"] as const;
export type ImportResult = (typeof importResults)[number];

/** Reasons why a row is refused. */
export const rowRefusals = [
  "invalid_value",
  "placeholder_id",
  "invalid_code",
  "owner_only",
  "unknown_group",
  "too_many_memberships",
  "code_taken",
  "coupon_taken",
  "coupons_full",
  "never_valid",
  "links_full",
  "partners_full",
  "differs",
  "unknown_partner",
  "partner_erased",
  "zero_amount",
  "erased",
  "other_partner",
  "past_needs_consent",
  "subscription_taken",
  "too_many_refunds",
  "moving",
] as const;
export type RowRefusal = (typeof rowRefusals)[number];

/**
 * `same_email`: another partner has the address. `code_end`: a code begins or ends with `_` or `-`, which messengers
 * leave out of a link. `more_sales`: the customer has more sales to reattribute than `effects` counts.
 * `partner_paused`: the coupon's partner is paused, so that sales with the coupon earn nothing.
 */
export const rowWarnings = ["same_email", "code_end", "more_sales", "partner_paused"] as const;
export type RowWarning = (typeof rowWarnings)[number];

/** The sales that are reattributed to the partner, and what is left of their commissions after refunds. */
export interface ImportEffects {
  readonly sales: number;
  readonly amounts: readonly { readonly currency: string; readonly cents: number }[];
}

/** The result of one row. `line` is the line of the row in its file. */
export type RowOutcome = {
  readonly line: number;
  /** The id of the created or existing row. In a dry run, created rows have no id. */
  readonly id?: number | undefined;
  readonly warnings?: readonly RowWarning[];
  /** Set if earlier sales of the customer are reattributed to the partner. */
  readonly effects?: ImportEffects;
} & (
  | { readonly result: Exclude<ImportResult, "refused"> }
  | { readonly result: "refused"; readonly code: RowRefusal; readonly field?: string }
);

/** A field is undefined if its column is missing or its cell is empty. The stored value then stays. */
export interface PartnerImport {
  readonly line: number;
  readonly name: string;
  /** The partner's codes without duplicates. The first is the partner's main code. */
  readonly codes: readonly [string, ...string[]];
  readonly email: string | undefined;
  /**
   * The stored digest of the address. Undefined for rows sent with a program key: their addresses are compared only
   * with each other.
   */
  readonly emailHash?: string | undefined;
  readonly externalId: string | undefined;
  readonly destinationUrl: string | undefined;
  /** The name of the group. */
  readonly group: string | undefined;
  readonly status: ActiveStatus | undefined;
  readonly payment: SealedPaymentDetails | undefined;
}

/** Instants are in milliseconds. A field is undefined if its column is missing or its cell is empty. */
export interface CustomerImport {
  readonly line: number;
  readonly customerKey: string;
  readonly partnerCode: string;
  /** When the attribution to the partner begins (ms). If undefined, it begins when the row is imported. */
  readonly since: number | undefined;
  /** True if sales between a past `since` and now earn commission. */
  readonly payPast: boolean;
  /** When the customer first bought at the former program (ms), which has paid for that sale. */
  readonly firstSaleAt: number | undefined;
  readonly subscriptionId: string | undefined;
  /** Set if the customer with this key was erased. */
  readonly isErased?: true;
}

/** A field is undefined if its column is missing or its cell is empty. The stored value then stays. */
export interface CouponImport {
  readonly line: number;
  readonly code: string;
  readonly partnerCode: string;
  readonly status: ActiveStatus | undefined;
  readonly validFrom: number | undefined;
  readonly validUntil: number | undefined;
}

export interface BalanceImport {
  readonly line: number;
  readonly partnerCode: string;
  readonly currency: string;
  readonly amountCents: number;
  readonly reference: string;
}

export type RefusedRow = Extract<RowOutcome, { readonly result: "refused" }>;

export const refusedRow = (line: number, code: RowRefusal, field?: string): RefusedRow => ({
  line,
  result: "refused",
  code,
  ...(field !== undefined && { field }),
});

export function effectsOf(owed: readonly { readonly currency: string; readonly leftCents: number }[]): ImportEffects {
  const ofCurrency = Map.groupBy(owed, ({ currency }) => currency);
  const amounts = [...ofCurrency].map(([currency, of]) => ({
    currency,
    cents: of.reduce((sum, { leftCents }) => sum + leftCents, 0),
  }));
  return { sales: owed.length, amounts: amounts.toSorted((a, b) => (a.currency < b.currency ? -1 : 1)) };
}

/** The reference of an imported adjustment. The prefix prevents collisions with references of other adjustments. */
export const importReference = ({ reference, currency }: Pick<BalanceImport, "reference" | "currency">): string =>
  `import:${reference}:${currency}`;

export const openingBalance = (source: string): string => `Opening balance from ${source}`;
