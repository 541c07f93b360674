import { nearest } from "./nearest.ts";

/** The type of a flag's value. */
export type Takes = "text" | "texts" | "amount" | "total" | "nothing" | "json";

export const ofEveryCall = { occurred_at: "text", additional_data: "json" } as const;

/** The fields that each endpoint accepts, with the types of their flags. A field that is null has no flag. */
export const wireFields = {
  click: {
    affiliate_url: "text",
    program_id: null,
    code_param: "text",
    limited: null,
    event_id: "text",
    page_url: "text",
    referrer_url: "text",
    page_title: null,
    session_id: "text",
    user_agent: "text",
    screen_resolution: null,
    viewport_size: null,
    language: null,
    timezone: null,
    existing_click_id: "text",
    ...ofEveryCall,
  },
  lead: {
    customer_key: "text",
    click_id: "text",
    click_ids: null,
    email: "text",
    session_id: "text",
    page_url: "text",
    program_id: null,
    ...ofEveryCall,
  },
  sale: {
    transaction_id: "text",
    amount_cents: "amount",
    currency: "text",
    customer_key: "text",
    click_id: "text",
    click_ids: null,
    sale_type: "text",
    is_recurring: "nothing",
    subscription_id: "text",
    subscription_interval: "text",
    product_id: "text",
    event_name: "text",
    line_items: "json",
    items: "json",
    coupon_codes: "texts",
    ...ofEveryCall,
  },
  refund: {
    transaction_id: "text",
    refund_amount_cents: "amount",
    refunded_total_cents: "total",
    charge_total_cents: "amount",
    refund_id: "text",
    cancel: "nothing",
    refund_reason: "text",
    ...ofEveryCall,
  },
} as const satisfies Readonly<Record<string, Readonly<Record<string, Takes | null>>>>;
export type Kind = keyof typeof wireFields;

/** Flags that aren't named after their fields. */
const flagNames: Readonly<Record<string, string>> = {
  amount_cents: "amount",
  is_recurring: "recurring",
  coupon_codes: "coupon",
  refund_amount_cents: "amount",
  refunded_total_cents: "refunded-total",
  charge_total_cents: "charge-total",
  refund_reason: "reason",
};

export interface Flag {
  readonly flag: string;
  readonly field: string;
  readonly takes: Takes;
}

export const flagsOf = (kind: Kind): readonly Flag[] =>
  Object.entries<Takes | null>(wireFields[kind]).flatMap(([field, takes]) =>
    takes === null ? [] : [{ flag: flagNames[field] ?? field.replaceAll("_", "-"), field, takes }],
  );

/** SDK arguments that aren't named after their fields on the wire. */
const sdkNames: ReadonlyMap<string, string> = new Map([
  ["customerExternalId", "customer_key"],
  ["invoiceId", "transaction_id"],
]);

/** Describes the fields that an endpoint doesn't accept, with suggestions; undefined if all are accepted. */
export function unknownFields(kind: Kind, names: readonly string[]): string | undefined {
  const known = Object.keys(wireFields[kind]);
  const unknown = names.filter((name) => !known.includes(name));
  const sayOf = (name: string) => {
    const other = sdkNames.get(name);
    const meant = other !== undefined && known.includes(other) ? other : nearest(name, known);
    return meant === undefined ? `${name} is not a field of a ${kind}` : `${name}: did you mean ${meant}?`;
  };
  return unknown.length > 0 ? unknown.map(sayOf).join("; ") : undefined;
}
