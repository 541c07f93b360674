import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import Stripe from "stripe";
import { onTestFinished } from "vitest";
import { chargeOf, intentOf } from "./stripe-charge.ts";
import { invoiceOf } from "./stripe-invoice.ts";
import type { Payment } from "./stripe-payment.ts";
import { sessionOf } from "./stripe-session.ts";

export const webhookSecret = "whsec_of_the_tests";

/** A fake Stripe API with the endpoints that a shop calls, and Stripe's own client connected to it. */
export interface StripeServer {
  readonly stripe: Stripe;
  /** The options with which Stripe's client connects to the fake API. */
  readonly host: { readonly host: string; readonly port: number; readonly protocol: "http" };
  /** The parameters of each created session, such as `metadata[program_id]`. */
  readonly sessions: readonly Record<string, string>[];
  readonly payments: Payment[];
  /** The status of every response. Undefined: requests succeed. */
  failsWith: number | undefined;
}

export async function startStripe(): Promise<StripeServer> {
  const sessions: Record<string, string>[] = [];
  const payments: Payment[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://stripe");
    const answer = (status: number, body: object) =>
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
    if (stripeServer.failsWith)
      return answer(stripeServer.failsWith, { error: { type: "api_error", message: "An error occurred" } });
    if (request.method === "POST" && pathname === "/v1/checkout/sessions") {
      sessions.push(Object.fromEntries(new URLSearchParams(Buffer.concat(chunks).toString())));
      const id = `cs_test_${sessions.length}`;
      return answer(200, { id, object: "checkout.session", url: `https://checkout.stripe.example/${id}` });
    }
    const found = request.method === "GET" ? read(payments, pathname, searchParams) : undefined;
    if (found !== undefined) return answer(200, found);
    return answer(404, { error: { type: "invalid_request_error", message: `Unrecognized request URL ${pathname}` } });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const host = { host: "127.0.0.1", port, protocol: "http", maxNetworkRetries: 0, telemetry: false } as const;
  const stripeServer: StripeServer = {
    stripe: new Stripe("sk_test_of_the_tests", host),
    host,
    sessions,
    payments,
    failsWith: undefined,
  };
  return stripeServer;
}

export async function failingStripe(status: number): Promise<Stripe> {
  const server = await startStripe();
  server.failsWith = status;
  return server.stripe;
}

/** Since API version basil, an invoice payment connects the invoice with the payment. */
function read(payments: readonly Payment[], pathname: string, query: URLSearchParams): object | undefined {
  const list = (data: readonly object[]) => ({ object: "list", data, has_more: false, url: pathname });
  const isExpanded = (path: string) => [...query].some(([name, value]) => /^expand\b/.test(name) && value === path);
  const by = (match: (payment: Payment) => boolean) => payments.filter(match);
  const [, resource, id] = /^\/v1\/([\w/]+?)(?:\/((?:in|pi|sub|cus|ch)_\w+))?$/.exec(pathname) ?? [];
  const [first] = by(({ invoice, paymentIntent, subscription, customer, charge }) =>
    [invoice, paymentIntent, subscription, customer, charge].includes(id ?? ""),
  );
  if (resource === "invoices" && id === undefined) {
    return list(by(({ subscription }) => subscription === query.get("subscription")).map((each) => invoiceOf(each)));
  }
  if (resource === "invoice_payments") {
    const [payment, invoiceId] = [query.get("payment[payment_intent]"), query.get("invoice")];
    const matching = by(
      ({ invoice, paymentIntent }) => invoice !== null && (paymentIntent === payment || invoice === invoiceId),
    );
    return list(
      matching.map(({ invoice, paymentIntent }) => ({
        id: "inpay_1",
        object: "invoice_payment",
        invoice,
        is_default: true,
        payment: { payment_intent: paymentIntent, type: "payment_intent" },
        status: "paid",
      })),
    );
  }
  if (resource === "checkout/sessions") {
    const matching = by(
      ({ session, paymentIntent, subscription }) =>
        session !== "" &&
        (paymentIntent === query.get("payment_intent") || (subscription ?? "") === query.get("subscription")),
    );
    return list(matching.map((payment) => sessionOf(payment, {}, isExpanded("data.line_items"))));
  }
  if (first === undefined) return undefined;
  if (resource === "invoices") return invoiceOf(first, isExpanded("total_discount_amounts.discount.promotion_code"));
  if (resource === "charges") return chargeOf(first, first.refundedTotal);
  if (resource === "payment_intents") return intentOf(first);
  if (resource === "customers") return { id, object: "customer", metadata: first.customerMetadata };
  if (resource !== "subscriptions") return undefined;
  const { customer, subscriptionMetadata: metadata, trialEnd } = first;
  return { id, object: "subscription", customer, metadata, trial_end: trialEnd };
}
