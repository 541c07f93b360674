import type { TheirPayment } from "./source.ts";

interface Page<Item> {
  readonly items: readonly Item[];
  readonly isLast: boolean;
}

/**
 * Reads numbered pages, newest first, until the payments are older than `from`. `paymentOf` returns undefined for an
 * item that isn't a payment. A payment made during the read moves some items to the next page, where they are skipped.
 */
export async function* numberedPages<Item extends { readonly id: string }>(
  from: number,
  read: (page: number) => Promise<Page<Item>>,
  paymentOf: (item: Item) => TheirPayment | undefined,
): AsyncGenerator<TheirPayment, undefined> {
  let before = new Set<string>();
  for (let number = 1; ; number += 1) {
    const { items, isLast } = await read(number);
    const payments = items.filter(({ id }) => !before.has(id)).flatMap((item) => paymentOf(item) ?? []);
    yield* payments;
    const oldest = payments.at(-1);
    if (isLast || items.length === 0 || (oldest !== undefined && oldest.at < from)) return;
    before = new Set(items.map(({ id }) => id));
  }
}
