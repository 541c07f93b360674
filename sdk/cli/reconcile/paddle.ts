import { handlePaddleEvent } from "../../src/paddle/handle.ts";
import type { Adjustment, PaddleEvent, Transaction } from "../../src/paddle/objects.ts";
import { listIn, type Processor, type Source, type SourceOptions, type TheirPayment } from "./source.ts";

interface Billed extends Transaction {
  readonly billed_at?: string | null;
  readonly created_at: string;
  readonly adjustments?: readonly (Adjustment & { readonly created_at: string; readonly updated_at?: string | null })[];
}

const eventOf = (event_type: string, occurred_at: string, data: { readonly id: string }): PaddleEvent => ({
  ...{ event_id: `of ${data.id}`, event_type, occurred_at, data },
});

function paymentOf(transaction: Billed): TheirPayment {
  const { billed_at, created_at, adjustments = [] } = transaction;
  const at = billed_at ?? created_at;
  const events = adjustments
    .map((adjustment) => eventOf("adjustment.updated", adjustment.updated_at ?? adjustment.created_at, adjustment))
    .sort((a, b) => Date.parse(String(a.occurred_at)) - Date.parse(String(b.occurred_at)));
  return { at: Date.parse(at), events: [eventOf("transaction.completed", at, transaction), ...events] };
}

const open = ({ api, isTest }: SourceOptions): Source => ({
  async *payments({ from }) {
    let after: string | undefined;
    do {
      const page = await api.get("transactions", {
        ...{ status: "completed", include: "adjustment", order_by: "billed_at[DESC]", per_page: 30 },
        ...{ "billed_at[GTE]": new Date(from).toISOString(), after },
      });
      const transactions = listIn(page, "data") as readonly Billed[];
      yield* transactions.map(paymentOf);
      const { has_more } = Object(Object(page?.meta).pagination);
      after = has_more === true ? transactions.at(-1)?.id : undefined;
    } while (after !== undefined);
  },
  async find(id) {
    const found = await api.get(`transactions/${id}`, { include: "adjustment" });
    return found && { saleId: id, payment: paymentOf(found.data as Billed) };
  },
  handle: (event, tributary) => handlePaddleEvent(event as PaddleEvent, { tributary, sandbox: isTest }),
});

export const paddle: Processor = {
  title: "Paddle",
  keyName: "PADDLE_API_KEY",
  address: "https://api.paddle.com",
  sandboxAddress: "https://sandbox-api.paddle.com",
  ids: /^txn_\w+$/,
  isTestKey: (key) => key.startsWith("pdl_sdbx_"),
  open,
};
