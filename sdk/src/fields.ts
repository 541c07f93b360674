import { isPlaceholder, noPlaceholder } from "./placeholder.ts";
import type { Warning } from "./results.ts";

export type Members = Readonly<Record<string, unknown>>;

/**
 * Names of arguments, a description of valid values, and the pattern of their JSON, in which control characters up to
 * U+001F and broken surrogates are escapes. A rule without a description is for values that come from visitors or that
 * don't change a result. Such values never fail a call: they are corrected, or left out if they can't be corrected.
 */
type Rule = readonly [names: string, must: string, json: RegExp, mend?: (value: never) => unknown];

export const isObject = (value: unknown): value is Members =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** An http or https address without credentials. */
export function webUrl(text: string): URL | undefined {
  try {
    const url = new URL(text);
    return /^https?:\/\/[^@/]+\//.test(url.href) ? url : undefined;
  } catch {
    return undefined;
  }
}

const idJson = /^"(?!\s*"$)([^\\\x7f-\x9f]|\\["\\]){1,255}"$/;

const wholeNumber = "a positive integer";

const rules: readonly Rule[] = [
  [
    "reason productId eventName",
    "",
    idJson,
    (value: unknown) => `${value}`.slice(0, 255).replace(/[\p{Cc}\p{Cs}]/gu, " "),
  ],
  ["pageUrl referrerUrl", "", /^"([^\\]|\\["\\]){0,2048}"$/, (value: string) => webUrl(value) && value],
  // The service keeps only the newest 20 clicks.
  ["clickIds", "", /^\[("([^"\\]|\\["\\]){0,255}",?)*]$/, (value: readonly unknown[]) => value.slice(-20)],
  ["userAgent", "", /^"([^\\]|\\["\\]){0,1024}"$/],
  ["clickId existingClickId email sessionId language", "", /^"([^\\]|\\["\\]){0,255}"$/],
  ["customerExternalId invoiceId refundId eventId subscriptionId codeParam", "1 to 255 printable characters", idJson],
  // 0 is valid: a call with an amount of 0 is skipped, and the total of a canceled refund may be 0.
  ["amount refundedTotal", wholeNumber, /^\d+$/],
  ["chargeTotal", wholeNumber, /^[1-9]\d*$/],
  ["programId", wholeNumber, /^"?[1-9]\d*"?$/],
  ["cancel testMode limited", "true or false", /^(true|false)$/],
  ["isRecurring", 'true, false or "auto"', /^(true|false|"auto")$/],
  ["saleType", "payment or subscription", /^"(payment|subscription)"$/],
  ["subscriptionInterval", "monthly, quarterly or annual", /^"(monthly|quarterly|annual)"$/],
  ["currency", "an ISO 4217 code", /^"[a-z]{3}"$/i],
  // An invalid Date becomes null in JSON, which the pattern refuses.
  ["occurredAt", "a Date or ISO 8601 with an offset", /^"[\d-]{10}T\d\d:.*(Z|[+-]\d\d:?\d\d)"$/i],
  ["additionalData", "an object", /^{/],
  ["affiliateUrl", "a URL", /^"/],
  ["lineItems", "JSON", /./],
  ["items", "an array of items", /^\[{.*}]$/],
  [
    "couponCodes",
    "",
    /^\[/,
    (codes: readonly string[]) =>
      codes.filter((code) => idJson.test(JSON.stringify(code)) && code.length < 65).slice(0, 10),
  ],
];

/**
 * The ids under which something is recorded. They must not be placeholders, such as "undefined". A refund may still
 * name a sale that was once recorded under a placeholder.
 */
const creatingIds = /^((lead|sale|testSale|offer)\.(customerExternalId|invoiceId|subscriptionId)|refund\.refundId)$/;

const wireName = (path: string): string =>
  path
    .replace(/^refund\.(?=amount|reason)/, "refund_")
    .replace(/.+\./, "")
    .replace("customerExternalId", "customer_key")
    .replace("invoiceId", "transaction_id")
    .replace(/amount|Total/, "$&_cents")
    .replace(/[A-Z]/g, "_$&")
    .toLowerCase();

const wireItems = (items: unknown) =>
  (items as readonly Members[]).map((item) =>
    Object.fromEntries(Object.entries(item).map(([name, value]) => [wireName(name), value])),
  );

/** The body of a call. Throws a TypeError that names the problem. */
export function bodyOf(
  kind: string,
  /** Only the names of these fields are used. */
  required: Members,
  input: object,
  warn: (code: Warning["code"], message: string) => void,
): Members {
  const body: Record<string, unknown> = {};
  for (const [name, value] of Object.entries<unknown>({ ...required, ...input })) {
    const path = `${kind}.${name}`;
    const rule = rules.find(([names]) => names.split(" ").includes(name));
    if (!rule) throw new TypeError(`${path} is unknown`);
    const [, must, json, mend = (own: unknown) => own] = rule;
    // An empty amount is the caller's error: a refund without an amount would refund everything.
    if (!(name in required) && (value === "" ? !/amount|Total/.test(name) : value == null)) continue;
    let fault = "left out";
    const trimmed = typeof value === "string" ? value.trim() : value;
    try {
      const kept = mend(trimmed as never);
      const text = JSON.stringify(kept);
      if (json.test(text)) {
        body[wireName(path)] = name === "items" ? wireItems(kept) : kept;
        fault = must || text === JSON.stringify(trimmed) ? "" : "cut";
      }
    } catch {
      // The value can't be written as JSON, for example because it is nested too deeply.
    }
    if (fault && must) throw new TypeError(`${path} must be ${must}`);
    if (creatingIds.test(path) && isPlaceholder(`${body[wireName(path)]}`)) {
      throw new TypeError(`${path} ${noPlaceholder}`);
    }
    if (fault) warn("argument_left_out", `${path} was ${fault}`);
  }
  const { test_mode, ...rest } = body;
  if (test_mode !== undefined) rest.additional_data = { ...Object(rest.additional_data), test_mode };
  if (kind === "sale" && "test_mode" in Object(rest.additional_data)) {
    throw new TypeError("sale.testMode: use trackTestSale");
  }
  return rest;
}
