/** `n` makes it one click, however often it is sent. `at` in milliseconds. */
export interface Click {
  readonly n: number;
  readonly partner: number;
  readonly at: number;
}

/** What a sale's call says, besides its id. */
export interface Shown {
  readonly customerKey: string;
  readonly at: number;
  readonly cents: number;
  readonly currency: string;
  readonly clicks: readonly Click[];
  readonly coupons: readonly string[];
  readonly isRecurring: boolean | "auto";
  readonly subscription: string | null;
}

export interface RefundAsked {
  readonly asked: "rest" | "amount" | "total" | "cancel";
  readonly cents: number | null;
  readonly refundId: string | null;
  readonly chargeTotalCents: number | null;
}
