/** The result of comparing the sales of a period with a payment processor's payments. Instants are in ms. */
export interface Reconciliation {
  readonly processor: string;
  readonly fromAt: number;
  readonly toAt: number;
  readonly matched: number;
  readonly missing: number;
  readonly unexpected: number;
  readonly differs: number;
  readonly reportedAt: number;
}
