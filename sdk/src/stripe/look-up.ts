import { firstKeys, hasKeys, type Keys, keysIn } from "../processors/keys.ts";
import { isoAmount } from "../processors/stripe-unit.ts";
import {
  type Charge,
  type Invoice,
  idOf,
  type Metadata,
  type PaymentIntent,
  type Reference,
  type Session,
} from "./objects.ts";
import { keysOfInvoice, keysOfSession, subscriptionOf } from "./sale.ts";

interface List {
  readonly data: readonly object[];
}

/** The methods of Stripe's own client (stripe-node) that `handleStripeEvent` calls. */
export interface StripeClient {
  readonly checkout: { readonly sessions: { list(params: object): PromiseLike<List> } };
  readonly charges: { retrieve(id: string): PromiseLike<object> };
  readonly customers: { retrieve(id: string): PromiseLike<object> };
  readonly invoices: { retrieve(id: string, params?: object): PromiseLike<object> };
  /** Available since stripe-node 18. */
  readonly invoicePayments?: { list(params: object): PromiseLike<List> };
  readonly paymentIntents: { retrieve(id: string): PromiseLike<object> };
  readonly subscriptions: { retrieve(id: string): PromiseLike<object> };
}

interface WithMetadata {
  readonly metadata?: Metadata;
}

/** The sale for a payment, and the total that was paid for it, in the unit of its refunds. */
export interface Paid {
  readonly saleId: string;
  readonly chargeTotal: number;
  readonly currency: string;
  /** The amount that was authorized, but not captured. Stripe returns it as a separate refund. */
  readonly uncaptured: number;
}

/** Functions that read from Stripe's API. They reject as Stripe's client does. */
export const lookUp = (stripe: StripeClient) => ({
  invoice: (id: string) => stripe.invoices.retrieve(id) as PromiseLike<Invoice>,
  charge: (id: string) => stripe.charges.retrieve(id) as PromiseLike<Charge>,

  /** Returns the checkout session that created a payment or a subscription. Undefined if there is none. */
  async session(by: { readonly payment_intent: string } | { readonly subscription: string }, also: object = {}) {
    return (await stripe.checkout.sessions.list({ ...by, limit: 1, ...also })).data[0] as Session | undefined;
  },

  async paidWith(paymentIntentId: string): Promise<Paid> {
    const intent = (await stripe.paymentIntents.retrieve(paymentIntentId)) as PaymentIntent;
    const invoiceId = idOf(await invoiceOf(stripe, intent));
    if (invoiceId === undefined) {
      const { id, amount_received: received, amount = received, currency } = intent;
      return {
        saleId: id,
        chargeTotal: isoAmount(received, currency),
        currency,
        uncaptured: isoAmount(amount - received, currency),
      };
    }
    return paidFor((await stripe.invoices.retrieve(invoiceId)) as Invoice);
  },

  hasInvoice: async (intent: PaymentIntent): Promise<boolean> => idOf(await invoiceOf(stripe, intent)) !== undefined,

  /**
   * Returns keys that aren't on the invoice: those of the session that created it, of its subscription, or of the
   * Stripe customer.
   */
  async keysFor(invoice: Invoice): Promise<Keys> {
    const subscriptionId = subscriptionOf(invoice);
    return askForKeys([
      async () => keysOfSession((await this.sessionOf(invoice, subscriptionId)) ?? noSession),
      async () => keysIn(await metadataOf(stripe.subscriptions, subscriptionId)),
      async () => keysIn(await metadataOf(stripe.customers, idOf(invoice.customer))),
    ]);
  },

  async keysOfInvoiceWithId(id: string): Promise<Keys> {
    const invoice = await this.invoice(id);
    const own = keysOfInvoice(invoice);
    return hasKeys(own) ? own : firstKeys([own, await this.keysFor(invoice)]);
  },

  /** Returns keys from any place where the handler would look for the sale of this payment. */
  async keysOfPayment(paymentIntentId: string): Promise<Keys> {
    const intent = (await stripe.paymentIntents.retrieve(paymentIntentId)) as PaymentIntent;
    return askForKeys([
      async () => keysIn(intent.metadata),
      async () => {
        const invoiceId = idOf(await invoiceOf(stripe, intent));
        return invoiceId === undefined ? {} : this.keysOfInvoiceWithId(invoiceId);
      },
      async () => keysOfSession((await this.session({ payment_intent: paymentIntentId })) ?? noSession),
      async () => keysIn(await metadataOf(stripe.customers, idOf(intent.customer))),
    ]);
  },

  async sessionOf(invoice: Invoice, subscriptionId: string | undefined): Promise<Session | undefined> {
    if (subscriptionId !== undefined) return this.session({ subscription: subscriptionId });
    const payment = idOf(invoice.payment_intent) ?? (await paymentIntentOf(stripe, invoice));
    return payment === undefined ? undefined : this.session({ payment_intent: payment });
  },
});

/** Returns the first keys that a source has. A restricted API key may have access to only some of the sources. */
async function askForKeys(sources: readonly (() => Promise<Keys>)[]): Promise<Keys> {
  const asked: Keys[] = [];
  let refusal: unknown;
  for (const source of sources) {
    const keys = await source().catch((error: unknown) => {
      if (!isForbidden(error)) throw error;
      refusal = error;
      return {};
    });
    asked.push(keys);
    if (hasKeys(keys)) return firstKeys(asked);
  }
  if (refusal) throw refusal;
  return firstKeys(asked);
}

const isForbidden = (error: unknown): boolean => Object(error).statusCode === 403;

const noSession: Session = { id: "", payment_status: "", amount_total: null, currency: null };

export const paidFor = (invoice: Invoice): Paid => ({
  saleId: invoice.id,
  chargeTotal: isoAmount(invoice.amount_paid, invoice.currency),
  currency: invoice.currency,
  uncaptured: 0,
});

async function metadataOf(from: { retrieve(id: string): PromiseLike<object> }, id: string | undefined) {
  return id === undefined ? null : ((await from.retrieve(id)) as WithMetadata).metadata;
}

/**
 * Before API version `2025-03-31.basil`, a payment intent named its invoice. Since then, a list of invoice payments
 * does.
 */
async function invoiceOf(stripe: StripeClient, { id, invoice }: PaymentIntent): Promise<Reference> {
  if (invoice !== undefined) return invoice;
  // An older version of the client reads objects in the older shape.
  if (!stripe.invoicePayments) return ((await stripe.paymentIntents.retrieve(id)) as PaymentIntent).invoice;
  const payment = { type: "payment_intent", payment_intent: id };
  const { data } = await stripe.invoicePayments.list({ payment, status: "paid", limit: 1 });
  return (data[0] as { invoice?: Reference } | undefined)?.invoice;
}

async function paymentIntentOf(stripe: StripeClient, { id }: Invoice): Promise<string | undefined> {
  const list = await stripe.invoicePayments?.list({ invoice: id, limit: 1 });
  const [payment] = (list?.data ?? []) as { payment?: { payment_intent?: Reference } }[];
  return idOf(payment?.payment?.payment_intent);
}
