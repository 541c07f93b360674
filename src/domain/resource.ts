/**
 * Kinds of resources for which a call can be refused as `not_found`. They are values, so they are separate from
 * refusals, which are only types.
 */
export const resources = [
  "sale",
  "key",
  "program",
  "workspace",
  "partner",
  "group",
  "coupon",
  "bonus",
  "code",
  "commission",
  "payout",
  "line",
  "statement",
  "member",
  "invitation",
  "account",
  "page",
  "application",
  "claim",
  "webhook",
  "event",
  "receipt",
  "request",
  "version",
] as const;
export type Resource = (typeof resources)[number];
