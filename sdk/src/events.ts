import type { Commission, SaleRecord } from "./results.ts";

type SaleSource = NonNullable<SaleRecord["source"]>;

/** The partner's id and code. Both are null if no partner is attributed. */
interface Owned {
  readonly partnerId: number | null;
  /** The partner's code in links. */
  readonly partnerCode: string | null;
}

interface Sold {
  readonly saleId: number;
  /** The sale's `invoiceId`. */
  readonly transactionId: string;
  /** The customer's `customerExternalId`. */
  readonly customerKey: string | null;
}

export interface EventLead extends Owned {
  readonly leadId: number;
  readonly customerKey: string;
  readonly clickId: string | null;
  readonly eventName: string | null;
  readonly occurredAt: string;
}

export interface EventLeadMoved extends Owned {
  /** Null if no lead named the customer. */
  readonly leadId: number | null;
  readonly customerKey: string | null;
  readonly source: SaleSource | null;
}

export interface EventSale extends Owned, Sold {
  readonly amountCents: number;
  readonly currency: string;
  readonly saleType: "payment" | "subscription";
  readonly subscriptionId: string | null;
  readonly productId: string | null;
  readonly eventName: string | null;
  /** Absent if the event is `truncated`. */
  readonly items?:
    | readonly {
        readonly itemId: string;
        readonly productId: string;
        readonly amountCents: number;
        readonly quantity: number;
      }[]
    | null;
  readonly occurredAt: string;
  readonly source: SaleSource | null;
}

export interface EventRefund extends Owned, Sold {
  /** Your own id of the refund. Null if it was reported without one. */
  readonly refundId: string | null;
  readonly refundedCents: number;
  /** Total of all refunds of the sale. */
  readonly refundedTotalCents: number;
  readonly currency: string;
  readonly occurredAt: string;
  readonly status: "refunded" | "reversed" | "no_commission" | "restored";
}

export interface EventCommission extends Owned, Sold {
  readonly commissionId: number;
  readonly currency: string;
  readonly status: Commission["status"];
  /** The amount that remains after refunds and corrections. */
  readonly amountCents: number;
  readonly unconfirmed: boolean;
  /** True if a member has to review the commission first. */
  readonly held: boolean;
  readonly holdUntil: string | null;
}

export interface EventPayout {
  readonly payoutId: number;
  readonly reference: string;
  readonly currency: string;
  readonly totalCents: number;
  readonly lineCount: number;
  /** `api`: your own system settles each line. */
  readonly settledBy: "person" | "api";
}

export interface EventPayoutLine {
  readonly lineId: number;
  readonly payoutId: number;
  readonly reference: string;
  readonly partnerId: number;
  readonly partnerCode: string;
  readonly amountCents: number;
  readonly currency: string;
}

export interface EventLineSettled extends EventPayoutLine {
  readonly settlementId: string;
  readonly settledAt: string;
}

export interface EventPartner {
  readonly partnerId: number;
  readonly partnerCode: string;
  readonly name: string;
  readonly status: "active" | "paused";
  readonly externalId: string | null;
  readonly riskExempt: boolean;
  readonly groupId: number | null;
}

export interface EventApplication {
  readonly applicationId: number;
  readonly name: string;
  readonly website: string | null;
}

export interface EventClaim {
  readonly claimId: number;
  readonly partnerId: number;
  readonly partnerCode: string;
  /** The day of the purchase, as the partner reported it. */
  readonly day: string;
  readonly amountCents: number | null;
  readonly currency: string | null;
}

/** The type of `data.object` for each event type. */
interface EventObjects {
  "lead.recorded": EventLead;
  "lead.moved": EventLeadMoved;
  "sale.recorded": EventSale;
  "sale.updated": EventSale;
  "refund.recorded": EventRefund;
  "refund.updated": EventRefund;
  "commission.created": EventCommission;
  "commission.updated": EventCommission;
  "payout.finalized": EventPayout;
  "payout.confirmed": EventPayout;
  "payout.canceled": EventPayout;
  "payout.line_settled": EventLineSettled;
  "payout.line_failed": EventPayoutLine;
  "partner.created": EventPartner;
  "partner.updated": EventPartner;
  "partner.applied": EventApplication;
  "partner.claim_opened": EventClaim;
  "webhook.disabled": { readonly webhookId: number; readonly url: string };
  /** The numbers between `from` and `to` were never used. */
  "feed.restarted": { readonly from: number; readonly to: number };
}

/** The previous values in a change event. */
interface EventPrevious {
  "lead.moved": Pick<EventLeadMoved, "partnerId">;
  "sale.updated": Partial<Pick<EventSale, "partnerId" | "source">>;
  "commission.updated": Partial<
    Pick<EventCommission, "partnerId" | "status" | "amountCents" | "unconfirmed" | "held" | "holdUntil">
  >;
  "partner.updated": Partial<Pick<EventPartner, "status" | "externalId" | "riskExempt" | "groupId">>;
}

export type WebhookEventType = keyof EventObjects;

interface EventOf<Type extends WebhookEventType> {
  /** The same in the feed and in every delivery. If you know an event's id, you already have the event. */
  readonly id: string;
  readonly type: Type;
  /** ISO 8601. */
  readonly timestamp: string;
  /** The event's number in the feed. Numbers have no gaps except at `feed.restarted`. */
  readonly seq: number;
  readonly programId: number;
  readonly testMode: boolean;
  readonly data: Type extends keyof EventPrevious
    ? {
        readonly object: EventObjects[Type];
        /** The previous values of the fields that changed. */
        readonly previous: EventPrevious[Type];
      }
    : { readonly object: EventObjects[Type] };
  /** True if the sale's items are left out, because the event would exceed 64 KiB. */
  readonly truncated?: true;
}

/**
 * An event of the feed and of webhooks, identified by its `type`. Amounts are in the smallest unit of `currency`,
 * times are ISO 8601. Later versions of the service may add types: ignore those that you don't know.
 */
export type WebhookEvent = { [Type in WebhookEventType]: EventOf<Type> }[WebhookEventType];
