import { type Book, type Customer, customerOf, type Sale } from "./book.ts";
import type { Shown } from "./events.ts";

/** A corrected sale counts once, at its new instant, even if it was refunded. */
const salesOf = ({ sales }: Book, subscription: string | null): readonly Sale[] =>
  subscription === null
    ? []
    : sales.filter(({ shown, replacedBy }) => shown.subscription === subscription && replacedBy === null);

interface Buyer {
  readonly customer: Customer;
  /** Without the clicks, if the sale counts for an erased customer. */
  readonly shown: Shown;
}

/** The customer of an unknown key is the one of the subscription, if that is known. So is that of an erased key. */
export function buyerOf(book: Book, shown: Shown): Buyer {
  const { customerKey: key, subscription } = shown;
  const subscriber = salesOf(book, subscription).toSorted((a, b) => b.shown.at - a.shown.at)[0]?.customer;
  if (subscriber === undefined) return { customer: customerOf(book, key), shown };
  const isErased = book.customers.get(subscriber.key) !== subscriber;
  const isElse = book.customers.has(key) && !(isErased && book.erasedKeys.has(key));
  if (isElse) return { customer: customerOf(book, key), shown };
  return { customer: subscriber, shown: isErased ? { ...shown, clicks: [] } : shown };
}

/** As known when the sale is reported. */
export const isRenewal = (book: Book, { isRecurring, subscription, at }: Shown): boolean =>
  isRecurring === "auto" ? salesOf(book, subscription).some(({ shown }) => shown.at <= at) : isRecurring;
