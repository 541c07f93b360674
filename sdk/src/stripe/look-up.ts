import { isoAmount } from "./amounts.ts";
import { type Invoice, idOf, type Metadata, type PaymentIntent, type Reference, type Session } from "./objects.ts";
import { type Keys, keysIn, keysOfInvoice, keysOfSession, subscriptionOf } from "./sale.ts";

interface List {
  readonly data: readonly object[];
}

/** The methods of Stripe's own client (stripe-node) that `handleStripeEvent` calls. */
export interface StripeClient {
  readonly checkout: { readonly sessions: { list(params: object): PromiseLike<List> } };
  readonly customers: { retrieve(id: string): PromiseLike<object> };
  readonly invoices: { retrieve(id: string): PromiseLike<object> };
  /** Since stripe-node 18. */
  readonly invoicePayments?: { list(params: object): PromiseLike<List> };
  readonly paymentIntents: { retrieve(id: string): PromiseLike<object> };
  readonly subscriptions: { retrieve(id: string): PromiseLike<object> };
}

interface Subscription {
  readonly metadata?: Metadata;
  readonly customer?: Reference;
  readonly trial_end?: number | null;
}

/** The sale of a payment, and what was paid for it in all, in the unit in which its refunds come. */
export interface Paid {
  readonly saleId: string;
  readonly chargeTotal: number;
  /** Authorized, but not captured: Stripe gives it back by a refund of its own. */
  readonly uncaptured: number;
}

/** Reads of Stripe's API. They reject as Stripe's client does. */
export const lookUp = (stripe: StripeClient) => ({
  invoice: (id: string) => stripe.invoices.retrieve(id) as PromiseLike<Invoice>,

  /** The checkout session of a payment or a subscription, if one made it. */
  async session(by: { readonly payment_intent: string } | { readonly subscription: string }) {
    return (await stripe.checkout.sessions.list({ ...by, limit: 1 })).data[0] as Session | undefined;
  },

  async paidWith(paymentIntentId: string): Promise<Paid> {
    const intent = (await stripe.paymentIntents.retrieve(paymentIntentId)) as PaymentIntent;
    const invoiceId = idOf(await invoiceOf(stripe, intent));
    if (invoiceId === undefined) {
      const { id, amount_received: received, amount = received, currency } = intent;
      return {
        saleId: id,
        chargeTotal: isoAmount(received, currency),
        uncaptured: isoAmount(amount - received, currency),
      };
    }
    return paidFor((await stripe.invoices.retrieve(invoiceId)) as Invoice);
  },

  hasInvoice: async (intent: PaymentIntent): Promise<boolean> => idOf(await invoiceOf(stripe, intent)) !== undefined,

  /** Keys that aren't on the invoice: of the session that made it, of its subscription, or of the Stripe customer. */
  async keysFor(invoice: Invoice): Promise<Keys> {
    const subscriptionId = subscriptionOf(invoice);
    const sources = [
      async () => keysOfSession((await this.sessionOf(invoice, subscriptionId)) ?? noSession),
      async () => (subscriptionId === undefined ? {} : keysIn((await subscription(stripe, subscriptionId)).metadata)),
      async () => keysOfInvoice({ ...invoice, metadata: await customerMetadata(stripe, invoice.customer) }),
    ];
    for (const source of sources) {
      const keys = await source();
      if (keys.customerKey || keys.clickId) return keys;
    }
    return {};
  },

  async sessionOf(invoice: Invoice, subscriptionId: string | undefined): Promise<Session | undefined> {
    if (subscriptionId !== undefined) return this.session({ subscription: subscriptionId });
    const payment = idOf(invoice.payment_intent) ?? (await paymentIntentOf(stripe, invoice));
    return payment === undefined ? undefined : this.session({ payment_intent: payment });
  },

  /** A trial's first payment comes as a renewal: its period begins where the trial ends. */
  async isAfterTrial(invoice: Invoice, subscriptionId: string): Promise<boolean> {
    const { trial_end: end } = await subscription(stripe, subscriptionId);
    return end != null && (invoice.lines?.data ?? []).some(({ period }) => period?.start === end);
  },
});

const noSession: Session = { id: "", payment_status: "", amount_total: null, currency: null };

export const paidFor = (invoice: Invoice): Paid => ({
  saleId: invoice.id,
  chargeTotal: isoAmount(invoice.amount_paid, invoice.currency),
  uncaptured: 0,
});

const subscription = (stripe: StripeClient, id: string) =>
  stripe.subscriptions.retrieve(id) as PromiseLike<Subscription>;

async function customerMetadata(stripe: StripeClient, customer: Reference): Promise<Metadata> {
  const id = idOf(customer);
  return id === undefined ? null : ((await stripe.customers.retrieve(id)) as { metadata?: Metadata }).metadata;
}

/** Before basil a payment intent named its invoice; since then a list of invoice payments does. */
async function invoiceOf(stripe: StripeClient, { id, invoice }: PaymentIntent): Promise<Reference> {
  if (invoice !== undefined) return invoice;
  const payment = { type: "payment_intent", payment_intent: id };
  const list = await stripe.invoicePayments?.list({ payment, limit: 1 });
  return (list?.data[0] as { invoice?: Reference } | undefined)?.invoice;
}

async function paymentIntentOf(stripe: StripeClient, { id }: Invoice): Promise<string | undefined> {
  const list = await stripe.invoicePayments?.list({ invoice: id, limit: 1 });
  const [payment] = (list?.data ?? []) as { payment?: { payment_intent?: Reference } }[];
  return idOf(payment?.payment?.payment_intent);
}
