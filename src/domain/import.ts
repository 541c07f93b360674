import type { SealedPaymentDetails } from "./payment-details.ts";
import type { ActiveStatus } from "./program-status.ts";

export const importKinds = ["partners", "customers", "coupons", "balances"] as const;
export type ImportKind = (typeof importKinds)[number];

export const importResults = ["created", "updated", "unchanged", "refused"] as const;
export type ImportResult = (typeof importResults)[number];

/** Why a row is refused. */
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
 * `code_end`: a code begins or ends with `_` or `-`, which messengers omit from a link. `more_sales`: too many sales
 * follow their customer, so the effects are those of the first ones.
 */
export const rowWarnings = ["same_email", "code_end", "more_sales"] as const;
export type RowWarning = (typeof rowWarnings)[number];

/** Sales that move to the partner, and their remaining commissions after refunds. */
export interface ImportEffects {
  readonly sales: number;
  readonly amounts: readonly { readonly currency: string; readonly cents: number }[];
}

/** `line` is the row's line in its file, and is returned. */
export type RowOutcome = {
  readonly line: number;
  /** Id of the created or existing row. A dry run has no new ids. */
  readonly id?: number | undefined;
  readonly warnings?: readonly RowWarning[];
  /** Set if a customer's earlier sales move to the partner. */
  readonly effects?: ImportEffects;
} & (
  | { readonly result: Exclude<ImportResult, "refused"> }
  | { readonly result: "refused"; readonly code: RowRefusal; readonly field?: string }
);

/** Undefined: the column is absent or the cell is empty, so the value stays. */
export interface PartnerImport {
  readonly line: number;
  readonly name: string;
  /** The first is the partner's own; no duplicates. */
  readonly codes: readonly [string, ...string[]];
  readonly email: string | undefined;
  /**
   * Stored digest of the address. Rows sent with a key have none: they are compared only with partners whom they name.
   */
  readonly emailHash?: string | undefined;
  readonly externalId: string | undefined;
  readonly destinationUrl: string | undefined;
  /** The group's name. */
  readonly group: string | undefined;
  readonly status: ActiveStatus | undefined;
  readonly payment: SealedPaymentDetails | undefined;
}

/** Instants in milliseconds. Undefined: the column is absent or the cell is empty. */
export interface CustomerImport {
  readonly line: number;
  readonly customerKey: string;
  readonly partnerCode: string;
  /** Sales from then on are the partner's. Undefined: from the import on. */
  readonly since: number | undefined;
  /** Sales since a past `since` earn commission. */
  readonly payPast: boolean;
  /** The customer's first sale at the former program, which has paid for it. */
  readonly firstSaleAt: number | undefined;
  readonly subscriptionId: string | undefined;
  /** The customer with this key was erased. */
  readonly isErased?: true;
}

/** Undefined: the column is absent or the cell is empty, so the value stays. */
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

/** Adjustments of imports have a separate kind of reference, to avoid collisions. */
export const importReference = ({ reference, currency }: Pick<BalanceImport, "reference" | "currency">): string =>
  `import:${reference}:${currency}`;

export const openingBalance = (source: string): string => `Opening balance from ${source}`;
