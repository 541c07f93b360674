/** Two clicks with the same `n` are one click that was sent twice. `at` is in milliseconds. */
export interface Click {
  readonly n: number;
  readonly partner: number;
  readonly at: number;
}

/** The fields of a sale's call, except its transaction id. */
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
