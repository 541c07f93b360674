import type { Refusal, RefusalCode } from "../../domain/refusal.ts";

const sale = {
  saleId: 71,
  commissionId: 72,
  attributed: true,
  partnerCode: "anna",
  commission: {
    amountCents: 980,
    currency: "USD",
    status: "pending",
    holdUntil: Date.UTC(2026, 2, 16, 12),
    unconfirmed: false,
    reason: undefined,
  },
} as const;

/** One of each, for the document. */
export const refusalExamples: { readonly [Code in RefusalCode]: Extract<Refusal, { code: Code }> } = {
  malformed_json: { code: "malformed_json" },
  unsupported_media_type: { code: "unsupported_media_type" },
  payload_too_large: { code: "payload_too_large" },
  invalid_input: { code: "invalid_input", faults: [{ path: [], message: "Request body must be a JSON object" }] },
  route_not_found: { code: "route_not_found" },
  method_not_allowed: { code: "method_not_allowed", allow: ["POST"] },
  rate_limited: { code: "rate_limited", retryAfterSeconds: 60 },
  missing_key: { code: "missing_key" },
  invalid_key: { code: "invalid_key" },
  key_retired: { code: "key_retired", retiredAt: Date.UTC(2026, 2, 1) },
  link_not_found: { code: "link_not_found" },
  program_not_found: { code: "program_not_found" },
  occurred_at_needs_key: { code: "occurred_at_needs_key" },
  customer_not_found: { code: "customer_not_found" },
  customer_of_another_program: { code: "customer_of_another_program" },
  duplicate_transaction: { code: "duplicate_transaction", sale, differences: [] },
  sale_not_found: { code: "sale_not_found" },
  refund_exceeds_sale: { code: "refund_exceeds_sale", refundableCents: 1900 },
  refund_conflict: { code: "refund_conflict", differences: ["refund_amount_cents"] },
  unavailable: { code: "unavailable", retryAfterSeconds: 5 },
  internal: { code: "internal" },
};
