import { stripeAmount } from "../processors/stripe-unit.ts";
import type { PayoutLine } from "../results.ts";

interface BalanceTransaction {
  readonly id: string;
  readonly metadata?: Readonly<Record<string, string>> | null;
}

interface TransactionList {
  readonly data: readonly object[];
  readonly has_more?: boolean;
}

/** The methods of Stripe's own client (stripe-node) that `creditStripeBalance` calls. */
export interface StripeCreditClient {
  readonly customers: {
    listBalanceTransactions(
      customer: string,
      params: { limit: number; starting_after?: string },
    ): PromiseLike<TransactionList>;
    createBalanceTransaction(
      customer: string,
      params: { amount: number; currency: string; description?: string; metadata: Record<string, string> },
      options: { idempotencyKey: string },
    ): PromiseLike<object>;
  };
}

export interface StripeCreditOptions {
  /** The partner's customer id at Stripe, `cus_…`. */
  customer(line: PayoutLine): string | PromiseLike<string>;
  /**
   * The credit as a positive integer in Stripe's smallest unit of the customer's currency, and this currency. Default:
   * the line's amount and currency. Required if the line is in a unit of the program.
   */
  amountOf?(line: PayoutLine): { readonly amount: number; readonly currency: string };
}

const metadataKey = "tributary_line";

/**
 * Returns a function for `settlePayout` that credits the customer's balance at Stripe, from which the next invoices are
 * paid. The credit's metadata contains the line's id. Before it credits a line, the function searches the customer's
 * transactions for that id, because Stripe forgets idempotency keys after a day. Rejects if Stripe's client does.
 */
export const creditStripeBalance =
  (stripe: StripeCreditClient, { customer, amountOf = amountInStripe }: StripeCreditOptions) =>
  async (line: PayoutLine): Promise<string> => {
    const { amount, currency } = amountOf(line);
    if (!Number.isSafeInteger(amount) || amount <= 0) {
      throw new TypeError("amountOf must return a positive integer in Stripe's unit");
    }
    const id = await customer(line);
    if (typeof id !== "string" || id === "") throw new TypeError("customer must return a customer id of Stripe");
    const lineId = String(line.lineId);
    const known = await findCredit(stripe, id, lineId);
    if (known !== undefined) return known;
    const created = (await stripe.customers.createBalanceTransaction(
      id,
      { amount: -amount, currency: currency.toLowerCase(), metadata: { [metadataKey]: lineId } },
      { idempotencyKey: lineId },
    )) as BalanceTransaction;
    return created.id;
  };

async function findCredit(stripe: StripeCreditClient, customer: string, lineId: string): Promise<string | undefined> {
  let after: string | undefined;
  for (;;) {
    const page = await stripe.customers.listBalanceTransactions(customer, {
      limit: 100,
      ...(after !== undefined && { starting_after: after }),
    });
    const transactions = page.data as readonly BalanceTransaction[];
    const found = transactions.find(({ metadata }) => metadata?.[metadataKey] === lineId);
    if (found !== undefined) return found.id;
    after = transactions.at(-1)?.id;
    if (page.has_more !== true || after === undefined) return undefined;
  }
}

function amountInStripe({ amountCents, currency, lineId }: PayoutLine) {
  if (!/^[A-Z]{3}$/.test(currency)) {
    throw new TypeError(`amountOf is required: line ${lineId} is in ${currency}, which isn't a currency`);
  }
  return { amount: stripeAmount(amountCents, currency), currency };
}
