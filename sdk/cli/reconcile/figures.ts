import type { TributaryClient } from "../../src/client.ts";
import type { RefundInput, SaleInput } from "../../src/inputs.ts";
import { shareOf } from "../../src/processors/payment.ts";
import { ApiError } from "./api.ts";
import type { Source, TheirPayment } from "./source.ts";

/** The figures of a sale that are compared. Amounts are in the currency's smallest unit. */
export interface Figures {
  readonly amount_cents: number;
  readonly currency: string;
  readonly refunded_cents: number;
}

export interface Sale extends Figures {
  readonly id: string;
  /** In milliseconds. */
  readonly at: number;
}

/** The sale that the helper would record for a payment, or the reason why it wouldn't record one. */
export type Mapped = { readonly sale: Sale } | { readonly none: string; readonly isRefused: boolean };

interface Collected {
  readonly client: TributaryClient;
  readonly sales: SaleInput[];
  readonly refunds: RefundInput[];
  readonly problems: string[];
}

/** A client that sends nothing and collects what the helper would send. */
function collector(programId: number): Collected {
  const [sales, refunds, problems]: [SaleInput[], RefundInput[], string[]] = [[], [], []];
  const kept = { ok: true, status: 200, error: null, data: {}, requestId: null } as const;
  const keepSale = async (sale: SaleInput) => {
    sales.push(sale);
    return kept;
  };
  const client = {
    programId,
    trackSale: keepSale,
    trackTestSale: keepSale,
    trackRefund: async (refund: RefundInput) => {
      refunds.push(refund);
      return kept;
    },
    report: ({ message }: { readonly message: string }) => void problems.push(message),
  };
  return { client: client as unknown as TributaryClient, sales, refunds, problems };
}

/**
 * The maximum number of attempts. Each one waits a few seconds, so together they outlast the longest pause that a
 * processor asks for.
 */
const attempts = 80;

/** Determines which sale the webhook's helper would record for a payment. */
export async function mapped(source: Source, programId: number, payment: TheirPayment): Promise<Mapped> {
  const { client, sales, refunds, problems } = collector(programId);
  let none = "";
  for (const event of payment.events) {
    const { body } = await handled(source, event, client);
    none ||= body;
  }
  const [sale] = sales;
  if (sale === undefined) return { none, isRefused: problems.length > 0 };
  const { invoiceId: id, amount, currency } = sale;
  const figures = { amount_cents: amount, currency: `${currency}`, refunded_cents: refundedOf(amount, refunds) };
  return { sale: { id, at: payment.at, ...figures } };
}

/** Retries the helper, which waits only a few seconds for the processor, because it normally handles a webhook. */
async function handled(source: Source, event: object, client: TributaryClient) {
  for (let attempt = 1; ; attempt += 1) {
    const answer = await source.handle(event, client, true);
    if (answer.status === 200) return answer;
    if (attempt === attempts) throw new ApiError(answer.body);
  }
}

/** Computes the refunded amount as the service does, which its documentation of refunds describes. */
export function refundedOf(amount: number, refunds: readonly RefundInput[]): number {
  const newest = new Map(refunds.map((refund, i) => [refund.refundId ?? `refund ${i}`, refund]));
  let own = 0;
  let charged = 0;
  let chargeTotal = 0;
  for (const refund of newest.values()) {
    const cents = refund.cancel ? (refund.refundedTotal ?? 0) : (refund.amount ?? refund.refundedTotal ?? amount);
    if (refund.chargeTotal == null) own += cents;
    else {
      charged += cents;
      chargeTotal = refund.chargeTotal;
    }
  }
  return Math.min(amount, own + (charged > 0 ? shareOf(amount, charged, chargeTotal) : 0));
}
