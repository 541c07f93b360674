import { type Book, type Customer, customerOf, type Sale } from "./book.ts";
import type { Shown } from "./events.ts";

/** Returns the subscription's sales, including refunded ones. A corrected sale counts once, at its corrected time. */
const salesOf = ({ sales }: Book, subscription: string | null): readonly Sale[] =>
  subscription === null
    ? []
    : sales.filter(({ shown, replacedBy }) => shown.subscription === subscription && replacedBy === null);

interface Buyer {
  readonly customer: Customer;
  /** The sale as it was sent, but without clicks if its customer is erased. */
  readonly shown: Shown;
}

/**
 * Returns the sale's customer. If the key is unknown or erased, this is the customer of the subscription's newest sale,
 * if there is one.
 */
export function buyerOf(book: Book, shown: Shown): Buyer {
  const { customerKey: key, subscription } = shown;
  const subscriber = salesOf(book, subscription).toSorted((a, b) => b.shown.at - a.shown.at)[0]?.customer;
  if (subscriber === undefined) return { customer: customerOf(book, key), shown };
  const isErased = book.customers.get(subscriber.key) !== subscriber;
  const isElse = book.customers.has(key) && !(isErased && book.erasedKeys.has(key));
  if (isElse) return { customer: customerOf(book, key), shown };
  return { customer: subscriber, shown: isErased ? { ...shown, clicks: [] } : shown };
}

/** Decides by the sales that are known when this one is reported. */
export const isRenewal = (book: Book, { isRecurring, subscription, at }: Shown): boolean =>
  isRecurring === "auto" ? salesOf(book, subscription).some(({ shown }) => shown.at <= at) : isRecurring;
