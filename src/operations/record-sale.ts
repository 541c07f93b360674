import type { UnattributedReason } from "../domain/attribution.ts";
import type { SaleSummary } from "../domain/refusal.ts";
import type { Call, PresentedKey, VerifiedClick } from "./operation.ts";

export interface SaleCall extends Call {
  readonly kind: "sale";
  readonly isTest: boolean;
  readonly key: PresentedKey;
  readonly transactionId: string;
  /** Smallest unit of the currency. */
  readonly amountCents: number;
  /** Upper case; absent: the program's. */
  readonly currency: string | undefined;
  readonly customerKey: string | undefined;
  /** The click id as sent. */
  readonly clickId: string | undefined;
  /** The same, where its signature is good. */
  readonly click: VerifiedClick | undefined;
  readonly saleType: "payment" | "subscription";
  readonly isRecurring: boolean;
  readonly subscriptionId: string | undefined;
  readonly subscriptionInterval: "monthly" | "quarterly" | "annual" | undefined;
  readonly productId: string | undefined;
  readonly eventName: string | undefined;
  /** JSON text. */
  readonly lineItems: string | undefined;
  /** When it happened, in milliseconds; never after `at`. */
  readonly occurredAt: number;
  readonly sentOccurredAt: boolean;
}

export interface SaleAnswer extends SaleSummary {
  readonly programId: number;
  /** Why no partner; absent where `attributed`. */
  readonly reason: UnattributedReason | undefined;
  readonly clickAgeDays: number | undefined;
  readonly windowDays: number | undefined;
}
