/** What a value must be. One that a visitor's browser supplies never fails a call: it is left out where it is no good. */
interface Field {
  readonly must: string;
  readonly isGood: (value: unknown) => boolean;
  readonly wire?: string;
  readonly required?: true;
  readonly fromVisitor?: true;
}

export type Fields = Readonly<Record<string, Field>>;
export type Body = Record<string, unknown>;

export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const maxAmount = 1e11;

const isText = (value: unknown, max: number): value is string =>
  typeof value === "string" && value.length <= max && !/[\0\p{Cs}]/u.test(value);

const id = (max = 255): Field => ({
  must: `a string of 1 to ${max} characters, not blank, without control characters`,
  isGood: (value) => isText(value, max) && /\S/.test(value) && !/\p{Cc}/u.test(value),
});

const visitorText = (max = 255): Field => ({
  must: `a string of at most ${max} characters`,
  isGood: (value) => isText(value, max),
  fromVisitor: true,
});

const oneOf = (...values: string[]): Field => ({
  must: values.join(" or "),
  isGood: (value) => values.includes(value as string),
});

const clickIds: Field = {
  must: "a list of click ids",
  isGood: (value) => Array.isArray(value) && value.every((clickId) => isText(clickId, 255)),
  fromVisitor: true,
};

const visitorUrl: Field = {
  must: "an http or https URL of at most 2048 characters",
  isGood: (value) => {
    if (!isText(value, 2048)) return false;
    try {
      const { protocol, username, password } = new URL(value);
      return /^https?:$/.test(protocol) && username + password === "";
    } catch {
      return false;
    }
  },
  fromVisitor: true,
};

const amount: Field = {
  must: `an integer from 0 to ${maxAmount}, in the currency's smallest unit (4900 is 49.00 EUR)`,
  isGood: (value) => Number.isInteger(value) && Number(value) >= 0 && Number(value) <= maxAmount,
};

const occurredAt: Field = {
  must: "a valid Date, or an ISO 8601 string with an offset",
  isGood: (value) =>
    value instanceof Date
      ? !Number.isNaN(value.getTime())
      : typeof value === "string" && /T.*(Z|[+-]\d\d:?\d\d)$/i.test(value) && !Number.isNaN(Date.parse(value)),
};

const programId: Field = {
  must: "a positive integer",
  isGood: (value) => /^[1-9]\d{0,15}$/.test(String(value)),
};

const additionalData: Field = { must: "an object", isGood: isObject };
const customer: Field = { ...id(), wire: "customer_key", required: true };
const invoice: Field = { ...id(), wire: "transaction_id", required: true };

export const leadFields: Fields = {
  customerExternalId: customer,
  clickId: visitorText(),
  clickIds,
  email: visitorText(),
  sessionId: visitorText(),
  pageUrl: visitorUrl,
  programId,
  occurredAt,
  additionalData,
};

export const saleFields: Fields = {
  customerExternalId: customer,
  amount: { ...amount, wire: "amount_cents", required: true },
  invoiceId: invoice,
  currency: { must: "an ISO 4217 code", isGood: (value) => typeof value === "string" && /^[a-z]{3}$/i.test(value) },
  clickId: visitorText(),
  occurredAt,
  saleType: oneOf("payment", "subscription"),
  isRecurring: { must: "true or false", isGood: (value) => typeof value === "boolean" },
  subscriptionId: id(),
  subscriptionInterval: oneOf("monthly", "quarterly", "annual"),
  productId: id(),
  eventName: id(),
  lineItems: { must: "JSON", isGood: () => true },
  additionalData: {
    must: "an object without test_mode: trackSale records real sales only, a test sale goes to POST /api/v1/track/sale",
    isGood: (value) => isObject(value) && !("test_mode" in value),
  },
};

export const refundFields: Fields = {
  invoiceId: invoice,
  amount: { ...amount, wire: "refund_amount_cents" },
  refundId: id(),
  refundedTotal: { ...amount, wire: "refunded_total_cents" },
  reason: { ...id(), wire: "refund_reason" },
  occurredAt,
  additionalData,
};

export const clickFields: Fields = {
  affiliateUrl: { must: "the landing URL, a string", isGood: (value) => typeof value === "string", required: true },
  programId: { ...programId, required: true },
  eventId: { ...id(64), required: true },
  pageUrl: visitorUrl,
  referrerUrl: visitorUrl,
  pageTitle: visitorText(),
  sessionId: visitorText(),
  userAgent: visitorText(1024),
  screenResolution: visitorText(),
  viewportSize: visitorText(),
  language: visitorText(),
  timezone: visitorText(),
  existingClickId: visitorText(),
  occurredAt,
  additionalData,
};

/** The body of a call. Throws a TypeError that says what is wrong; `onIgnored` hears of what was left out. */
export function bodyOf(method: string, fields: Fields, input: unknown, onIgnored: (message: string) => void): Body {
  if (!isObject(input)) throw new TypeError(`${method}: give one object`);
  for (const name of Object.keys(input)) {
    if (!Object.hasOwn(fields, name)) throw new TypeError(`${method}: ${name} is not known`);
  }
  const body: Body = {};
  for (const [name, { must, isGood, wire, required, fromVisitor }] of Object.entries(fields)) {
    const value = input[name];
    if (!required && (value === undefined || value === null || (fromVisitor && value === ""))) continue;
    const fault = `${method}: ${name} must be ${must}`;
    if (isGood(value)) body[wire ?? name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)] = value;
    else if (required || !fromVisitor) throw new TypeError(fault);
    else onIgnored(`${fault}. It was left out.`);
  }
  return body;
}
