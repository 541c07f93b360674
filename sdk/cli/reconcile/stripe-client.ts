import type { StripeClient } from "../../src/stripe/look-up.ts";
import { idOf, type Session } from "../../src/stripe/objects.ts";
import { type Api, ApiError, type Query } from "./api.ts";

/** Limit on the responses that are kept. */
const mostKept = 500;

/**
 * The methods of Stripe's client that the helper calls. Responses are kept, because several events need the same ones.
 */
export function clientOf(api: Api) {
  const answers = new Map<string, Promise<object>>();
  const keep = (key: string, answer: Promise<object>): void => {
    answers.set(key, answer);
    for (const [oldest] of answers) {
      if (answers.size <= mostKept) break;
      answers.delete(oldest);
    }
  };
  const ask = (path: string, query: Query = {}): Promise<object> => {
    const key = JSON.stringify([path, query]);
    const known = answers.get(key);
    if (known !== undefined) return known;
    const asked = api
      .get(path, query)
      .then((found) => found ?? Promise.reject(new ApiError(`${path}: not found`, 404)));
    asked.catch(() => answers.delete(key));
    keep(key, asked);
    return asked;
  };
  const at = (path: string) => ({
    retrieve: (id: string, { expand }: { expand?: readonly string[] } = {}) =>
      ask(`${path}/${id}`, { "expand[]": expand }),
  });
  const list = (path: string) => ({
    list: (params: object) => ask(path, flat(params)) as Promise<{ data: readonly object[] }>,
  });
  const sessionKey = (paymentIntentId: string) => `session of ${paymentIntentId}`;
  const sessions = {
    list: (params: { payment_intent?: string; expand?: unknown }) => {
      const known = params.payment_intent === undefined ? undefined : answers.get(sessionKey(params.payment_intent));
      return (known ?? list("v1/checkout/sessions").list(params)) as Promise<{ data: readonly object[] }>;
    },
  };
  const client: StripeClient = {
    checkout: { sessions },
    charges: at("v1/charges"),
    customers: at("v1/customers"),
    invoices: at("v1/invoices"),
    invoicePayments: list("v1/invoice_payments"),
    paymentIntents: at("v1/payment_intents"),
    subscriptions: at("v1/subscriptions"),
  };
  return {
    client,
    /** Keeps sessions that were read with their line items and promotion codes, to find them by payment later. */
    remember(found: readonly Session[]) {
      for (const session of found) {
        const id = idOf(session.payment_intent);
        if (id !== undefined) keep(sessionKey(id), Promise.resolve({ data: [session] }));
      }
    },
  };
}

/** Flattens parameters to the form of a query: `payment[type]`. */
const flat = (params: object): Query =>
  Object.fromEntries(
    Object.entries(params).flatMap(([name, value]) => {
      if (Array.isArray(value)) return [[`${name}[]`, value.map(String)]];
      if (typeof value !== "object" || value === null) return [[name, value]];
      return Object.entries(value).map(([inner, each]) => [`${name}[${inner}]`, String(each)]);
    }),
  );
