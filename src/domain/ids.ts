declare const kind: unique symbol;

/**
 * An id of one kind can't be assigned to an id of another kind. A plain number, for example from a path or a body, can
 * be assigned to any kind.
 */
type Id<Kind extends string> = number & { readonly [kind]?: Kind };

export type AdjustmentId = Id<"adjustment">;
export type ApplicationId = Id<"application">;
export type AuditEntryId = Id<"audit entry">;
export type BonusId = Id<"bonus">;
export type ClaimId = Id<"claim">;
export type ClickRowId = Id<"click">;
export type CommissionId = Id<"commission">;
export type CouponId = Id<"coupon">;
export type CustomerId = Id<"customer">;
export type GroupId = Id<"group">;
export type KeyId = Id<"key">;
export type LeadId = Id<"lead">;
export type LedgerEntryId = Id<"ledger entry">;
export type LinkId = Id<"link">;
export type MoveId = Id<"move">;
export type NoteId = Id<"note">;
export type PartnerId = Id<"partner">;
export type PayoutId = Id<"payout">;
export type PayoutLineId = Id<"payout line">;
export type PolicyId = Id<"policy">;
export type ProgramId = Id<"program">;
export type RefundId = Id<"refund">;
export type SaleId = Id<"sale">;
export type Shard = Id<"shard">;
export type WebhookId = Id<"webhook">;
