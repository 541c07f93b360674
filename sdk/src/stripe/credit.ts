import type { Optional } from "../inputs.ts";
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
  /** The partner's customer id at Stripe, `cus_…`. Null: the partner has none, so the line stays due. */
  customer(line: PayoutLine): string | null | PromiseLike<string | null>;
  /**
   * The credit as a positive integer in Stripe's unit of the customer's currency, and the currency. Default: the line's
   * amount and currency. Required if the line is in a unit of your own.
   */
  amountOf?(line: PayoutLine): { readonly amount: number; readonly currency: string };
  /**
   * Text before the line's id in the credit's metadata and idempotency key. Only needed if several deployments of
   * Tributary credit customers of one Stripe account, because their lines have the same ids. Never change it: credits
   * under another prefix aren't found. Default: none.
   */
  readonly prefix?: Optional<string>;
}

const metadataKey = "tributary_line";

/**
 * Returns a function for `settlePayout` that credits the customer's balance at Stripe, which the next invoices use up.
 * Stripe forgets idempotency keys after a day, so a credit also has the line's id in its metadata, and the function
 * first searches the customer's transactions for that id. Its `find` only searches. Both reject as Stripe's client
 * does.
 */
export function creditStripeBalance(
  stripe: StripeCreditClient,
  { customer, amountOf = amountInStripe, prefix = "" }: StripeCreditOptions,
) {
  const lookUp = async (line: PayoutLine) => {
    const id = await customer(line);
    if (id === null) return null;
    if (typeof id !== "string" || id === "") throw new TypeError("customer must return a customer id of Stripe");
    const key = `${prefix}${line.lineId}`;
    return { id, key, known: await findCredit(stripe, id, key) };
  };
  const credit = async (line: PayoutLine) => {
    const { amount, currency } = amountOf(line);
    if (!Number.isSafeInteger(amount) || amount <= 0) {
      throw new TypeError("amountOf must return a positive integer in Stripe's unit");
    }
    const found = await lookUp(line);
    if (found === null) return null;
    const { id, key, known } = found;
    if (known !== null) return known;
    const created = (await stripe.customers.createBalanceTransaction(
      id,
      { amount: -amount, currency: currency.toLowerCase(), metadata: { [metadataKey]: key } },
      { idempotencyKey: key },
    )) as BalanceTransaction;
    return created.id;
  };
  const find = async (line: PayoutLine) => (await lookUp(line))?.known ?? null;
  return Object.assign(credit, { find });
}

async function findCredit(stripe: StripeCreditClient, customer: string, key: string): Promise<string | null> {
  let after: string | undefined;
  for (;;) {
    const page = await stripe.customers.listBalanceTransactions(customer, {
      limit: 100,
      ...(after !== undefined && { starting_after: after }),
    });
    const transactions = page.data as readonly BalanceTransaction[];
    const found = transactions.find(({ metadata }) => metadata?.[metadataKey] === key);
    if (found !== undefined) return found.id;
    after = transactions.at(-1)?.id;
    if (page.has_more !== true || after === undefined) return null;
  }
}

function amountInStripe({ amountCents, currency, lineId }: PayoutLine) {
  if (!/^[A-Z]{3}$/.test(currency)) {
    throw new TypeError(`amountOf is required: line ${lineId} is in ${currency}, which isn't a currency`);
  }
  return { amount: stripeAmount(amountCents, currency), currency };
}
