import { handlePolarEvent } from "../../src/polar/handle.ts";
import type { Order, PolarEvent } from "../../src/polar/objects.ts";
import { numberedPages } from "./pages.ts";
import { listIn, type Processor, type Source, type SourceOptions, type TheirPayment } from "./source.ts";

interface Listed extends Order {
  readonly created_at: string;
  readonly modified_at?: string | null;
}

function paymentOf(order: Listed): TheirPayment {
  const { created_at, modified_at, refunded_amount } = order;
  const refunded = { type: "order.refunded", timestamp: modified_at ?? created_at, data: order };
  const paid = { type: "order.paid", timestamp: created_at, data: order };
  return { at: Date.parse(created_at), events: refunded_amount > 0 ? [paid, refunded] : [paid] };
}

const open = ({ api, isTest }: SourceOptions): Source => ({
  payments: ({ from }) =>
    numberedPages(
      from,
      async (page) => {
        const found = await api.get("v1/orders/", { sorting: "-created_at", limit: 100, page });
        const { max_page } = Object(found?.pagination);
        return { items: listIn(found, "items") as readonly Listed[], isLast: !(page < max_page) };
      },
      paymentOf,
    ),
  async find(id) {
    const found = await api.get(`v1/orders/${id}`);
    return found && { saleId: id, payment: paymentOf(found as unknown as Listed) };
  },
  handle: (event, tributary) => handlePolarEvent(event as PolarEvent, { tributary, sandbox: isTest }),
});

export const polar: Processor = {
  title: "Polar",
  keyName: "POLAR_ACCESS_TOKEN",
  address: "https://api.polar.sh",
  sandboxAddress: "https://sandbox-api.polar.sh",
  ids: /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/,
  open,
};
