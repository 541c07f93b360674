import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import Stripe from "stripe";
import { onTestFinished } from "vitest";
import type { Payment } from "./stripe-events.ts";

export const webhookSecret = "whsec_of_the_tests";

/** The endpoints of Stripe that a shop calls, over HTTP; and Stripe's own client, which calls them there. */
export interface StripeServer {
  readonly stripe: Stripe;
  /** The parameters of each session that was created, as they came: `metadata[program_id]` and so on. */
  readonly sessions: readonly Record<string, string>[];
  /** Payments whose invoice can be looked up. */
  readonly payments: Payment[];
  /** Answers 500 to all. */
  isBroken: boolean;
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
    if (stripeServer.isBroken) return answer(500, { error: { type: "api_error", message: "An error occurred" } });
    if (request.method === "POST" && pathname === "/v1/checkout/sessions") {
      sessions.push(Object.fromEntries(new URLSearchParams(Buffer.concat(chunks).toString())));
      const id = `cs_test_${sessions.length}`;
      return answer(200, { id, object: "checkout.session", url: `https://checkout.stripe.example/${id}` });
    }
    if (request.method === "GET" && pathname === "/v1/invoice_payments") {
      const paymentIntent = searchParams.get("payment[payment_intent]");
      const invoices = payments
        .filter((payment) => payment.paymentIntent === paymentIntent && payment.invoice !== null)
        .map(({ invoice }) => ({
          id: "inpay_1",
          object: "invoice_payment",
          invoice,
          is_default: true,
          status: "paid",
        }));
      return answer(200, { object: "list", data: invoices, has_more: false, url: "/v1/invoice_payments" });
    }
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
    sessions,
    payments,
    isBroken: false,
  };
  return stripeServer;
}
