/** Types of events in a program's feed. */
export const eventTypes = [
  "lead.recorded",
  "lead.moved",
  "sale.recorded",
  "sale.updated",
  "refund.recorded",
  "refund.updated",
  "commission.created",
  "commission.updated",
  "payout.finalized",
  "payout.confirmed",
  "payout.canceled",
  "payout.line_settled",
  "payout.line_failed",
  "partner.created",
  "partner.updated",
  "partner.applied",
  "partner.claim_opened",
  "webhook.disabled",
  "feed.restarted",
] as const;
export type EventType = (typeof eventTypes)[number];

/**
 * Fields of an event's subject that triggers (store/triggers) store with the event, before and after the change. The
 * order is that of the stored arrays.
 */
export const notedFields = {
  lead: ["partner_id"],
  sale: ["partner_id", "source"],
  refund: ["partner_id", "status"],
  commission: ["partner_id", "status", "amount_cents", "unconfirmed", "held", "hold_until", "currency"],
  partner: ["status", "external_id", "risk_exempt", "group_id"],
} as const;
