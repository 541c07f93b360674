import type { Members } from "../service.ts";

// These are the fields that the command shows. Instants are ISO 8601; amounts are in the currency's smallest unit.

/** One page of an explanation. `events` differ from page to page; all other fields are the same. */
export interface Explanation extends Members {
  readonly verdict: Verdict;
  readonly customer: Customer | null;
  readonly events: readonly StoryEvent[];
  readonly next_cursor: string | null;
  readonly candidates: readonly Candidate[];
  /** Number of the customer's other clicks that were reported before. */
  readonly earlier_clicks: number;
  /** Coupons sent with the sale, in the order sent. */
  readonly coupons: readonly Coupon[];
  /** Null unless there is exactly one sale. */
  readonly commission: Commission | null;
  readonly missing: readonly Missing[];
  readonly settings_then: Settings | null;
  /** The settings that differ today from those at the time of the sale. */
  readonly settings_now: SomeSettings | null;
}

export interface Verdict {
  readonly message: string;
  readonly currency: string | null;
  readonly sums: readonly Sum[];
}

export interface Sum {
  readonly currency: string;
  readonly sales: number;
  readonly attributed_sales: number;
  readonly amount_cents: number;
  readonly refunded_cents: number;
  readonly commission_cents: number;
}

export interface Customer {
  readonly customer_key: string | null;
  readonly known_since: string;
  readonly evidence: "key" | "browser" | null;
  readonly locked_since: string | null;
}

export interface Coupon {
  readonly code: string;
  readonly partner_code: string | null;
  readonly outcome: string;
}

export interface Candidate {
  readonly click_id: string;
  readonly at: string | null;
  readonly partner_code: string | null;
  readonly outcome: string;
  readonly age_days?: number | undefined;
  readonly window_days?: number | undefined;
}

export interface Commission {
  readonly id: number;
  readonly status: string;
  readonly hold_until: string | null;
  readonly calculation: readonly { readonly text: string; readonly cents: number; readonly currency?: string }[];
  readonly entries: readonly Entry[];
}

export interface Entry {
  readonly kind: string;
  readonly amount_cents: number;
  readonly currency: string;
  readonly partner_code: string | null;
  readonly posted_at: string;
  readonly stands_for: { readonly type: string; readonly id: string | null };
  readonly by: { readonly type: "api_key" | "member"; readonly name: string | null };
}

export interface Missing {
  readonly code: string;
  readonly message: string;
  readonly remedy: string;
  readonly docs_url: string;
}

export interface Settings {
  readonly model: string | null;
  readonly window_days: number | null;
  readonly window_until: string | null;
  readonly policy_version: number | null;
  readonly policy_group: { readonly name: string } | null;
  readonly partner_status: string | null;
}

export type SomeSettings = { readonly [Name in keyof Settings]?: Settings[Name] | undefined };

interface AnyEvent {
  readonly occurred_at: string;
  /** Null for a click that is not stored yet. */
  readonly received_at: string | null;
  readonly partner_code: string | null;
}

export interface ClickEvent extends AnyEvent {
  readonly type: "click";
  readonly id: string;
  readonly is_bot: boolean | null;
  readonly page_url: string | null;
}

export interface LeadEvent extends AnyEvent {
  readonly type: "lead";
  readonly id: number;
  readonly customer_key: string | null;
  readonly provisional: boolean;
  readonly reason: string | null;
}

export interface SaleEvent extends AnyEvent {
  readonly type: "sale";
  readonly id: number;
  readonly transaction_id: string;
  readonly amount_cents: number;
  readonly currency: string;
  readonly reason: string | null;
  readonly commission_status: string;
  readonly commission_cents: number;
  /** Missing from earlier versions of the service, in which it always equals the sale's currency. */
  readonly commission_currency?: string;
}

export interface RefundEvent extends AnyEvent {
  readonly type: "refund";
  readonly id: number;
  readonly refund_id: string | null;
  readonly transaction_id: string;
  /** Negative if a cancellation restored part of the sale. */
  readonly refunded_cents: number;
  readonly currency: string;
  readonly status: string;
  readonly commission_reversed_cents: number;
  readonly commission_currency?: string;
}

export type StoryEvent = ClickEvent | LeadEvent | SaleEvent | RefundEvent;
