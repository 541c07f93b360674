import type { Warning } from "./results.ts";

type Members = Readonly<Record<string, unknown>>;

/**
 * What an argument must be, in words and as a check, and its name on the wire where that is not its own in snake_case.
 * One without words comes from a visitor: where it is no good it is left out, and fails no call.
 */
type Rule = readonly [must: string, isGood: (value: unknown) => boolean, wire?: string];

export const isObject = (value: unknown): value is Members =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** An http or https address without credentials. */
export function webUrl(text: string): URL | undefined {
  try {
    const url = new URL(text);
    return /^https?:$/.test(url.protocol) && !url.username && !url.password ? url : undefined;
  } catch {
    return undefined;
  }
}

const withoutControls = (text: string): string => text.replace(/[\p{Cc}\p{Cs}]/gu, " ");

const isText = (value: unknown, max: number): value is string =>
  typeof value === "string" && value.length <= max && value === withoutControls(value);

const visitorText: Rule = ["", (value) => isText(value, 255)];
const visitorUrl: Rule = ["", (value) => isText(value, 2048) && !!webUrl(value)];

const id = [
  "1 to 255 characters, not blank, without control characters",
  (value) => isText(value, 255) && /\S/.test(value),
] satisfies Rule;
const amount = [
  "a positive integer in the currency's smallest unit: 4900 is 49.00 EUR",
  (value) => typeof value === "number" && value % 1 === 0 && value > 0,
] satisfies Rule;
const oneOf = (...values: unknown[]): Rule => [values.join(" or "), (value) => values.includes(value)];

/** By argument; one that differs for a kind of call has that before it. */
const rules: Readonly<Record<string, Rule>> = {
  customerExternalId: [...id, "customer_key"],
  invoiceId: [...id, "transaction_id"],
  amount: [...amount, "amount_cents"],
  "refund.amount": [...amount, "refund_amount_cents"],
  // A canceled refund's total may be 0.
  refundedTotal: [amount[0], (value) => value === 0 || amount[1](value), "refunded_total_cents"],
  chargeTotal: [...amount, "charge_total_cents"],
  cancel: oneOf(true, false),
  refundId: id,
  reason: ["", id[1], "refund_reason"],
  eventId: id,
  subscriptionId: id,
  productId: ["", id[1]],
  eventName: ["", id[1]],
  clickId: visitorText,
  existingClickId: visitorText,
  email: visitorText,
  sessionId: visitorText,
  language: visitorText,
  userAgent: ["", (value) => isText(value, 1024)],
  pageUrl: visitorUrl,
  referrerUrl: visitorUrl,
  clickIds: ["", (value) => Array.isArray(value) && value.every(visitorText[1])],
  affiliateUrl: ["a URL", (value) => typeof value === "string"],
  programId: ["a positive integer", (value) => /^[1-9]\d*$/.test(String(value))],
  currency: ["an ISO 4217 code", (value) => /^[a-z]{3}$/i.test(String(value))],
  saleType: oneOf("payment", "subscription"),
  isRecurring: oneOf(true, false),
  subscriptionInterval: oneOf("monthly", "quarterly", "annual"),
  lineItems: ["JSON", () => true],
  occurredAt: [
    "a Date, or ISO 8601 with an offset",
    // An invalid Date is null in JSON.
    (value) => /^"\d{4}-\d\d-\d\dT\d\d:.*(Z|[+-]\d\d:?\d\d)"$/i.test(JSON.stringify(value)),
  ],
  testMode: oneOf(true, false),
  "sale.testMode": ["left out: call trackTestSale", () => false],
  additionalData: ["an object", isObject],
  "sale.additionalData": [
    "an object without test_mode: call trackTestSale",
    (value) => isObject(value) && !("test_mode" in value),
  ],
};

/** Decides nothing, so it is mended rather than refused. */
const freeText = /reason|productId|eventName/;

/** The body of a call. Throws a TypeError that says what is wrong. */
export function bodyOf(
  kind: string,
  input: object,
  required: readonly string[],
  warn: (code: Warning["code"], message: string) => void,
): Members {
  const values: Members = { ...input };
  const body: Record<string, unknown> = {};
  for (const name of new Set([...required, ...Object.keys(values)])) {
    const value = values[name];
    const path = `${kind}.${name}`;
    const rule = rules[path] ?? rules[name];
    if (!rule) throw new TypeError(`${path} is no argument`);
    const [must, isGood, wire] = rule;
    if (!required.includes(name) && (value ?? "") === "") continue;
    const kept = freeText.test(name) ? withoutControls(String(value).slice(0, 255)) : value;
    const isKept = isGood(kept);
    if (isKept) body[wire ?? name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)] = kept;
    else if (must) throw new TypeError(`${path} must be ${must}`);
    if (!isKept || kept !== value) warn("argument_left_out", `${path} was ${isKept ? "cut" : "left out"}`);
  }
  const { test_mode, ...rest } = body;
  if (test_mode === undefined) return rest;
  return { ...rest, additional_data: { ...Object(rest.additional_data), test_mode } };
}
