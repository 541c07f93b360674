import { handleLemonSqueezyEvent } from "../../src/lemon-squeezy/handle.ts";
import type { Charge, LemonSqueezyEvent, SubscriptionInvoice } from "../../src/lemon-squeezy/objects.ts";
import { numberedPages } from "./pages.ts";
import {
  listIn,
  mergeNewestFirst,
  type Processor,
  type Source,
  type SourceOptions,
  type TheirPayment,
} from "./source.ts";

interface Resource {
  readonly id: string;
  readonly attributes: Charge & Partial<SubscriptionInvoice>;
}

const kinds = {
  order: { path: "v1/orders", paid: "order_created", refunded: "order_refunded" },
  subscription_invoice: {
    path: "v1/subscription-invoices",
    paid: "subscription_payment_success",
    refunded: "subscription_payment_refunded",
  },
} as const;
type Kind = keyof typeof kinds;

/**
 * Lemon Squeezy's API doesn't return custom data, so the payment's customer is unknown. Comparing amounts needs no real
 * customer, so the helper gets this key. Nothing is sent with it.
 */
const unknownCustomer = { svc_customer_key: "compared" };

const eventOf = (event_name: string, data: Resource): LemonSqueezyEvent => ({ meta: { event_name }, data });

function paymentOf(kind: Kind, resource: Resource): TheirPayment {
  const { paid, refunded } = kinds[kind];
  const { created_at = "", refunded_amount = 0, refunded: isRefunded } = resource.attributes;
  const events = [eventOf(paid, resource)];
  if (refunded_amount > 0 || isRefunded === true) events.push(eventOf(refunded, resource));
  return { at: Date.parse(created_at), events };
}

function open({ api, isTest }: SourceOptions): Source {
  const list = (kind: Kind, from: number) =>
    numberedPages(
      from,
      async (page) => {
        const found = await api.get(kinds[kind].path, { "page[size]": 100, "page[number]": page });
        const { lastPage } = Object(Object(found?.meta).page);
        return { items: listIn(found, "data") as readonly Resource[], isLast: !(page < lastPage) };
      },
      (resource) => (isOwn(kind, resource) ? paymentOf(kind, resource) : undefined),
    );
  /** The first payment of a subscription is already reported by its order. */
  const isOwn = (kind: Kind, { attributes }: Resource): boolean =>
    (attributes.test_mode ?? false) === isTest && (kind === "order" || attributes.billing_reason !== "initial");

  return {
    payments: ({ from }) => mergeNewestFirst([list("order", from), list("subscription_invoice", from)]),
    async find(id) {
      const kind: Kind = id.startsWith("order_") ? "order" : "subscription_invoice";
      const found = await api.get(`${kinds[kind].path}/${id.slice(kind.length + 1)}`);
      return found && { saleId: id, payment: paymentOf(kind, found.data as Resource) };
    },
    handle(event, tributary, isComparing) {
      const { meta, data } = event as LemonSqueezyEvent;
      const custom_data = isComparing ? unknownCustomer : null;
      return handleLemonSqueezyEvent({ meta: { ...meta, custom_data }, data }, { tributary });
    },
  };
}

export const lemonSqueezy: Processor = {
  title: "Lemon Squeezy",
  keyName: "LEMON_SQUEEZY_API_KEY",
  address: "https://api.lemonsqueezy.com",
  headers: { accept: "application/vnd.api+json" },
  ids: /^(order|subscription_invoice)_\d+$/,
  async isTestKey(_, api) {
    const user = await api.get("v1/users/me");
    return Object(user?.meta).test_mode === true;
  },
  open,
};
