import { saleWithinWindow } from "#domain/attribution.ts";
import type { firstSalesWithout } from "#store/customers.ts";
import type { RecordedSale } from "#store/sales.ts";
import { bindingOf } from "../attribution/customer.ts";

type FirstSales = NonNullable<ReturnType<ReturnType<typeof firstSalesWithout>["decode"]>>;

/**
 * The customer's first sales without the corrected sale. `again` is the corrected sale's new instant (ms), or undefined
 * if another customer gets the sale. Returns undefined if the corrected sale isn't one of the first sales.
 */
export function firstSalesAfter(
  known: FirstSales | undefined,
  { occurredAt, partnerId }: RecordedSale["sale"],
  again: number | undefined,
) {
  if (known === undefined) return undefined;
  const { id, others } = known;
  const isFirst = known.firstSaleAt === occurredAt;
  const isFirstAttributed =
    known.firstAttributedSaleAt === occurredAt && partnerId !== null && partnerId === known.partnerId;
  if (!isFirst && !isFirstAttributed) return undefined;
  // If the customer has no other attributed sale, the corrected sale stays the first attributed one, provided that the
  // attribution covers its new instant.
  const firstAttributed =
    others.firstAttributedSaleAt ?? (again !== undefined && countsAt(known, again, occurredAt) ? again : null);
  return {
    id,
    firstSaleAt: isFirst ? others.firstSaleAt : known.firstSaleAt,
    firstAttributedSaleAt: isFirstAttributed ? firstAttributed : known.firstAttributedSaleAt,
  };
}

/**
 * True if the customer's attribution covers the corrected sale at `at` (ms), its new instant. If the sale was outside
 * the attribution window even at `before`, its old instant, it stays credited: it was credited because of a sale within
 * the window that an earlier correction has removed.
 */
function countsAt(known: FirstSales, at: number, before: number): boolean {
  const binding = bindingOf(known);
  if (binding === undefined) return known.since !== null && at >= known.since;
  const isWithin = (instant: number) => saleWithinWindow(binding, instant).ok;
  return at >= binding.clickAt && (isWithin(at) || !isWithin(before));
}
