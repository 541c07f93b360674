import { nearest } from "./nearest.ts";

/** The fields that each endpoint accepts. */
export const wireFields = {
  click: [
    "affiliate_url",
    "program_id",
    "event_id",
    "page_url",
    "referrer_url",
    "page_title",
    "session_id",
    "user_agent",
    "screen_resolution",
    "viewport_size",
    "language",
    "timezone",
    "existing_click_id",
    "occurred_at",
    "additional_data",
  ],
  lead: [
    "click_id",
    "click_ids",
    "customer_key",
    "email",
    "session_id",
    "page_url",
    "program_id",
    "occurred_at",
    "additional_data",
  ],
  sale: [
    "transaction_id",
    "amount_cents",
    "customer_key",
    "click_id",
    "click_ids",
    "currency",
    "sale_type",
    "is_recurring",
    "subscription_id",
    "subscription_interval",
    "product_id",
    "event_name",
    "line_items",
    "occurred_at",
    "additional_data",
  ],
  refund: [
    "transaction_id",
    "refund_amount_cents",
    "refund_id",
    "refunded_total_cents",
    "charge_total_cents",
    "cancel",
    "refund_reason",
    "occurred_at",
    "additional_data",
  ],
} as const satisfies Readonly<Record<string, readonly string[]>>;

/** SDK arguments whose wire names differ in more than spelling. */
const sdkNames: ReadonlyMap<string, string> = new Map([
  ["customerExternalId", "customer_key"],
  ["invoiceId", "transaction_id"],
]);

/** Describes the fields that an endpoint doesn't accept, with suggestions; undefined if all are accepted. */
export function unknownFields(kind: keyof typeof wireFields, names: readonly string[]): string | undefined {
  const known: readonly string[] = wireFields[kind];
  const unknown = names.filter((name) => !known.includes(name));
  const sayOf = (name: string) => {
    const other = sdkNames.get(name);
    const meant = other !== undefined && known.includes(other) ? other : nearest(name, known);
    return meant === undefined ? `${name} is not a field of a ${kind}` : `${name}: did you mean ${meant}?`;
  };
  return unknown.length > 0 ? unknown.map(sayOf).join("; ") : undefined;
}
