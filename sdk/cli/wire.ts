import { nearest } from "./nearest.ts";

/** The fields that each endpoint takes. */
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

/** The SDK's arguments whose wire names are no other spelling of theirs. */
const sdkNames: ReadonlyMap<string, string> = new Map([
  ["customerExternalId", "customer_key"],
  ["invoiceId", "transaction_id"],
]);

/** Names the fields that an endpoint doesn't take, and those that were probably meant; undefined where there are none. */
export function unknownFields(kind: keyof typeof wireFields, names: readonly string[]): string | undefined {
  const known: readonly string[] = wireFields[kind];
  const unknown = names.filter((name) => !known.includes(name));
  const sayOf = (name: string) => {
    const other = sdkNames.get(name);
    const meant = other !== undefined && known.includes(other) ? other : nearest(name, known);
    return meant === undefined ? `${name} is no field of a ${kind}` : `${name}: did you mean ${meant}?`;
  };
  return unknown.length > 0 ? unknown.map(sayOf).join("; ") : undefined;
}
