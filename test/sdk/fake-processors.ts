import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";
import { chargeOf, intentOf } from "../examples/stripe-charge.ts";
import { refundEvent } from "../examples/stripe-events.ts";
import { invoiceOf } from "../examples/stripe-invoice.ts";
import type { Payment } from "../examples/stripe-payment.ts";
import { sessionOf } from "../examples/stripe-session.ts";

export interface FakeApi {
  readonly url: string;
  /** The URLs of all requests. */
  readonly requests: readonly URL[];
  /** The number of requests that the rate limit refused. */
  readonly refused: () => number;
}

type Answer = { readonly status?: number; readonly body: object };
type Read = (url: URL) => object | undefined;

interface Manners {
  readonly key: string;
  /** Refuses each nth request with `Retry-After`, up to `mostRefused` in all. */
  readonly limitsEvery?: number;
  readonly mostRefused?: number;
  /** Delays the response to each nth request. */
  readonly slowEvery?: number;
  /** Paths for which the connection of the first request is reset. */
  readonly cuts?: RegExp;
}

const slowMs = 150;

/**
 * Serves `read` like a processor's API, which checks the key, limits requests, responds slowly and loses connections.
 */
export async function fakeApi(
  read: Read,
  { key, limitsEvery = 0, mostRefused = Number.POSITIVE_INFINITY, slowEvery = 0, cuts }: Manners,
): Promise<FakeApi> {
  const requests: URL[] = [];
  const cut = new Set<string>();
  let refused = 0;
  const answerTo = (url: URL, authorization: string | undefined): Answer => {
    if (authorization !== `Bearer ${key}`) return { status: 401, body: { error: { message: "Invalid API key" } } };
    const found = read(url);
    return found ? { body: found } : { status: 404, body: { error: { message: "No such resource" } } };
  };
  const server = createServer((request, response: ServerResponse) => {
    const url = new URL(request.url ?? "/", "http://processor");
    requests.push(url);
    const count = requests.length;
    if (limitsEvery > 0 && count % limitsEvery === 0 && refused < mostRefused) {
      refused += 1;
      response.writeHead(429, { "content-type": "application/json", "retry-after": "1" });
      return response.end('{"error":{"message":"Too many requests"}}');
    }
    if (cuts?.test(url.pathname) && !cut.has(url.href)) {
      cut.add(url.href);
      return response.socket?.resetAndDestroy();
    }
    const { status = 200, body } = answerTo(url, request.headers.authorization);
    const send = () => response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
    return slowEvery > 0 && count % slowEvery === 0 ? setTimeout(send, slowMs) : send();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, requests, refused: () => refused };
}

export interface FakeRefund {
  readonly id: string;
  readonly payment: Payment;
  readonly amount: number;
  readonly status?: "succeeded" | "failed";
}

type Listed = { readonly id: string; readonly created: number };

/** Returns a page of a Stripe list, newest first. */
function pageOf(objects: readonly object[], { searchParams: query }: URL): object {
  const since = Number(query.get("created[gte]") ?? 0);
  const all = (objects as readonly Listed[])
    .filter(({ created }) => created >= since)
    .sort((a, b) => b.created - a.created || (a.id < b.id ? 1 : -1));
  const after = query.get("starting_after");
  const from = after === null ? 0 : all.findIndex(({ id }) => id === after) + 1;
  const limit = Number(query.get("limit") ?? 10);
  return { object: "list", data: all.slice(from, from + limit), has_more: from + limit < all.length };
}

const withCharge = (payment: Payment) => ({ ...intentOf(payment), latest_charge: chargeOf(payment) });

/** The endpoints that the command reads. `disputes` and `notes` are Stripe objects. */
export function stripeReads(
  payments: readonly Payment[],
  refunds: readonly FakeRefund[] = [],
  others: { readonly disputes?: readonly object[]; readonly notes?: readonly object[] } = {},
): Read {
  const by = new Map<string, Payment>(
    payments.flatMap((payment) =>
      [payment.invoice, payment.paymentIntent, payment.session, payment.charge, payment.subscription, payment.customer]
        .filter((id): id is string => Boolean(id))
        .map((id) => [id, payment] as const),
    ),
  );
  const sessions = payments.filter(({ session }) => session !== "").map(sessionIn);
  const invoices = payments.filter(({ invoice }) => invoice !== null).map((payment) => invoiceOf(payment));
  const intents = payments.map(withCharge);
  const refunded = refunds.map(({ payment, ...refund }) => refundEvent(payment, refund).data.object);
  return (url) => {
    const { pathname, searchParams: query } = url;
    if (pathname === "/v1/checkout/sessions" && query.has("payment_intent")) {
      const payment = by.get(query.get("payment_intent") ?? "");
      return { data: payment?.session ? [sessionIn(payment)] : [] };
    }
    if (pathname === "/v1/checkout/sessions") return pageOf(sessions, url);
    if (pathname === "/v1/invoices") return pageOf(invoices, url);
    if (pathname === "/v1/payment_intents") return pageOf(intents, url);
    if (pathname === "/v1/refunds") return pageOf(refunded, url);
    if (pathname === "/v1/disputes") return pageOf(others.disputes ?? [], url);
    if (pathname === "/v1/credit_notes") return pageOf(others.notes ?? [], url);
    if (pathname === "/v1/invoice_payments") {
      const payment = by.get(query.get("payment[payment_intent]") ?? query.get("invoice") ?? "");
      const link = { invoice: payment?.invoice, payment: { payment_intent: payment?.paymentIntent } };
      return { data: payment?.invoice ? [link] : [] };
    }
    const [, resource, id = ""] = /^\/v1\/([a-z_/]+)\/(\w+)$/.exec(pathname) ?? [];
    const payment = by.get(id);
    if (payment === undefined) return undefined;
    if (resource === "invoices") return invoiceOf(payment, query.getAll("expand[]").length > 0);
    if (resource === "payment_intents") return withCharge(payment);
    if (resource === "checkout/sessions") return sessionIn(payment);
    if (resource === "charges") return chargeOf(payment, payment.refundedTotal);
    if (resource === "subscriptions") return { id, metadata: payment.subscriptionMetadata };
    return resource === "customers" ? { id, metadata: payment.customerMetadata } : undefined;
  };
}

/** A session with its line items, promotion codes and payment. */
const sessionIn = (payment: Payment) => ({
  ...sessionOf(payment, {}, true),
  payment_intent: payment.invoice === null ? withCharge(payment) : null,
});

/** Forwards requests, and records their paths. */
export async function countingProxy(target: string): Promise<{ readonly url: string; readonly paths: string[] }> {
  const paths: string[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    paths.push(`${request.method} ${request.url?.split("?")[0]}`);
    const { authorization = "", "content-type": type = "application/json" } = request.headers;
    const method = request.method ?? "GET";
    const forwarded = await fetch(target + request.url, {
      method,
      headers: { authorization, "content-type": type },
      ...(method === "POST" && { body: Buffer.concat(chunks) }),
    });
    const { status, headers } = forwarded;
    response.writeHead(status, { "content-type": headers.get("content-type") ?? "" }).end(await forwarded.text());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, paths };
}
