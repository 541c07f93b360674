import type { ProcessorAnswer } from "../../src/processors/answers.ts";
import { handleStripeEvent } from "../../src/stripe/handle.ts";
import { lookUp } from "../../src/stripe/look-up.ts";
import {
  type Charge,
  type CreditNote,
  type Dispute,
  type Invoice,
  idOf,
  type Refund,
  type Session,
  type StripeEvent,
} from "../../src/stripe/objects.ts";
import type { Api, Query } from "./api.ts";
import { ApiError } from "./api.ts";
import {
  listIn,
  mergeNewestFirst,
  type Named,
  type Period,
  type Processor,
  type Source,
  type SourceOptions,
  type TheirPayment,
} from "./source.ts";
import { clientOf } from "./stripe-client.ts";

const daySeconds = 86_400;
/**
 * Invoices and authorized payments may be paid long after they were created, so the read starts earlier than the
 * period.
 */
const marginSeconds = { invoices: 30 * daySeconds, others: 7 * daySeconds };

const secondsOf = (ms: number): number => Math.floor(ms / 1_000);

type Json = Readonly<Record<string, unknown>>;

interface WithTime {
  readonly id: string;
  readonly created: number;
  readonly livemode?: boolean;
}

interface WithCharge {
  readonly latest_charge?: { readonly created?: number } | string | null;
}

/** The charge has the time of the payment. A session or payment intent may be created long before. */
const paidAt = (intent: unknown, created: number): number => {
  const { latest_charge: charge } = Object(intent) as WithCharge;
  return Object(charge).created ?? created;
};

const eventOf = (type: string, created: number, { id, livemode }: Partial<WithTime>, object: object): StripeEvent => ({
  ...{ id: `of ${id}`, type, created, data: { object } },
  ...(livemode !== undefined && { livemode }),
});

type Kind = "session" | "invoice" | "intent";

function eventFor(kind: Kind, object: object): StripeEvent {
  const { created } = object as WithTime;
  if (kind === "invoice") {
    const at = (object as Invoice).status_transitions?.paid_at ?? created;
    return eventOf("invoice.paid", at, object as WithTime, object);
  }
  if (kind === "intent")
    return eventOf("payment_intent.succeeded", paidAt(object, created), object as WithTime, object);
  const at = paidAt((object as Session).payment_intent, created);
  return eventOf("checkout.session.completed", at, object as WithTime, object);
}

const places = {
  session: {
    path: "v1/checkout/sessions",
    query: { status: "complete" },
    expand: ["line_items", "discounts.promotion_code", "payment_intent.latest_charge"],
  },
  invoice: { path: "v1/invoices", query: { status: "paid" }, expand: [] },
  intent: { path: "v1/payment_intents", query: {}, expand: ["latest_charge"] },
} as const satisfies Record<Kind, { path: string; query: Query; expand: readonly string[] }>;

const kindOf = (id: string): Kind => (/^cs_/.test(id) ? "session" : /^in_/.test(id) ? "invoice" : "intent");

function open({ api, isTest, include, refundEvents, note }: SourceOptions): Source {
  const stripe = clientOf(api);
  const look = lookUp(stripe.client);
  let refunds: Promise<ReadonlyMap<string, readonly StripeEvent[]>> | undefined;
  let since = 0;

  const paymentOf = async (kind: Kind, object: object): Promise<TheirPayment> => {
    const event = eventFor(kind, object);
    const saleId = saleIdIn(kind, object);
    refunds ??= refundsSince(api, since, { refundEvents, look, note, isTest });
    const ofSale = (await refunds).get(saleId) ?? [];
    return { at: Number(event.created) * 1_000, events: [event, ...ofSale] };
  };

  async function* paid(kind: Kind, from: number) {
    const { path, query, expand } = places[kind];
    const expanded = expand.map((each) => `data.${each}`);
    for await (const page of pagesOf(api, path, { ...query, "created[gte]": from, "expand[]": expanded })) {
      if (kind === "session") stripe.remember(page as readonly Session[]);
      for (const object of page) {
        if (kind === "intent" && (object as Json).status !== "succeeded") continue;
        yield await paymentOf(kind, object);
      }
    }
  }

  /** Returns the session that reports the payment. Undefined if there is none. */
  const sessionOf = async (paymentIntentId: string): Promise<Session | undefined> => {
    const { path, expand } = places.session;
    const expanded = expand.map((each) => `data.${each}`);
    const asked = { payment_intent: paymentIntentId, limit: 1, "expand[]": expanded };
    const [session] = listIn(await api.get(path, asked), "data") as readonly Session[];
    if (session) stripe.remember([session]);
    return session;
  };

  return {
    async *payments({ from }: Period) {
      since = secondsOf(from);
      yield* mergeNewestFirst([
        paid("session", since - marginSeconds.others),
        paid("invoice", since - marginSeconds.invoices),
        paid("intent", since - marginSeconds.others),
      ]);
    },

    async find(id): Promise<Named | undefined> {
      const kind = kindOf(id);
      const { path, expand } = places[kind];
      const object = await api.get(`${path}/${id}`, { "expand[]": expand });
      if (object === undefined) return undefined;
      if (kind === "session") stripe.remember([object as unknown as Session]);
      if (kind !== "intent") return { saleId: saleIdIn(kind, object), payment: await paymentOf(kind, object) };
      const { saleId } = await look.paidWith(id);
      const own = await paymentOf(kind, object);
      const session = saleId === id ? await sessionOf(id) : undefined;
      return { saleId, payment: session ? { ...own, events: [eventFor("session", session), ...own.events] } : own };
    },

    handle: (event, tributary): Promise<ProcessorAnswer> =>
      handleStripeEvent(event as StripeEvent, {
        tributary,
        stripe: stripe.client,
        invoices: true,
        include,
        refundEvents,
      }),
  };
}

function saleIdIn(kind: Kind, object: object): string {
  if (kind !== "session") return (object as WithTime).id;
  const { id, invoice, payment_intent } = object as Session;
  return idOf(invoice) ?? idOf(payment_intent) ?? id;
}

async function* pagesOf(api: Api, path: string, query: Query): AsyncGenerator<readonly object[], undefined> {
  let last: string | undefined;
  do {
    const page = await api.get(path, { ...query, limit: 100, starting_after: last });
    const objects = listIn(page, "data");
    yield objects;
    last = page?.has_more === true ? (objects.at(-1) as WithTime | undefined)?.id : undefined;
  } while (last !== undefined);
}

interface RefundOptions extends Pick<SourceOptions, "refundEvents" | "note" | "isTest"> {
  readonly look: ReturnType<typeof lookUp>;
}

/** Reads all refunds, disputes and credit notes. Returns their events by sale id, oldest first. */
async function refundsSince(api: Api, since: number, options: RefundOptions) {
  const events = new Map<string, StripeEvent[]>();
  const lists = [
    refundsIn(api, since, options),
    optional(disputesIn(api, since, options), "disputes", options),
    optional(creditNotesIn(api, since, options), "credit notes", options),
  ];
  const all: (readonly [string, StripeEvent])[] = [];
  for (const list of lists) for await (const each of list) all.push(each);
  all.sort(([, a], [, b]) => Number(a.created) - Number(b.created));
  for (const [saleId, event] of all) events.set(saleId, [...(events.get(saleId) ?? []), event]);
  return events;
}

type Found = AsyncGenerator<readonly [saleId: string, StripeEvent], undefined>;

async function* refundsIn(api: Api, since: number, { look, refundEvents, isTest }: RefundOptions): Found {
  const charges = new Set<string>();
  for await (const page of pagesOf(api, "v1/refunds", { "created[gte]": since })) {
    for (const refund of page as readonly (Refund & WithTime)[]) {
      const paymentIntentId = idOf(refund.payment_intent);
      if (paymentIntentId === undefined) continue;
      const { saleId } = await look.paidWith(paymentIntentId);
      const own = { id: refund.id, livemode: !isTest };
      if (refundEvents === "refund.*") {
        yield [saleId, eventOf("refund.updated", refund.created, own, refund)];
        continue;
      }
      const chargeId = idOf(refund.charge);
      if (chargeId === undefined || charges.has(chargeId)) continue;
      charges.add(chargeId);
      const charge: Charge = await look.charge(chargeId);
      yield [saleId, eventOf("charge.refunded", refund.created, own, charge)];
    }
  }
}

interface BalanceTransaction {
  readonly amount: number;
  readonly created: number;
}

async function* disputesIn(api: Api, since: number, { look, isTest }: RefundOptions): Found {
  for await (const page of pagesOf(api, "v1/disputes", { "created[gte]": since })) {
    for (const dispute of page as readonly (Dispute & {
      readonly balance_transactions?: readonly BalanceTransaction[];
    })[]) {
      const paymentIntentId = idOf(dispute.payment_intent);
      // Inquiries are also disputes, but move no money.
      const moved = dispute.balance_transactions ?? [];
      if (paymentIntentId === undefined || moved.length === 0) continue;
      const isBack = moved.reduce((sum, { amount }) => sum + amount, 0) >= 0;
      const type = isBack ? "charge.dispute.funds_reinstated" : "charge.dispute.funds_withdrawn";
      const at = Math.max(...moved.map(({ created }) => created));
      const { saleId } = await look.paidWith(paymentIntentId);
      yield [saleId, eventOf(type, at, { id: dispute.id, livemode: !isTest }, dispute)];
    }
  }
}

async function* creditNotesIn(api: Api, since: number, { isTest }: RefundOptions): Found {
  for await (const page of pagesOf(api, "v1/credit_notes", { "created[gte]": since })) {
    for (const note of page as readonly (CreditNote & { readonly status?: string })[]) {
      const saleId = idOf(note.invoice);
      if (saleId === undefined) continue;
      const type = note.status === "void" ? "credit_note.voided" : "credit_note.created";
      yield [saleId, eventOf(type, note.created, { id: note.id, livemode: !isTest }, note)];
    }
  }
}

/** Skips a resource that a restricted key can't read, because few shops use these resources. */
async function* optional(found: Found, what: string, { note }: RefundOptions): Found {
  try {
    yield* found;
  } catch (error) {
    if (!(error instanceof ApiError) || error.statusCode !== 403) throw error;
    note(`The key can't read ${what}, so they aren't compared.`);
  }
}

export const stripe: Processor = {
  title: "Stripe",
  keyName: "STRIPE_API_KEY",
  address: "https://api.stripe.com",
  // The API version with which the helper is tested.
  headers: { "stripe-version": "2026-10-28.endive" },
  ids: /^(in|pi|cs)_\w+$/,
  isTestKey: (key) => /^[rs]k_test_/.test(key),
  open,
};
