import { saleWithinWindow } from "#domain/attribution.ts";
import type { firstSalesWithout } from "#store/customers.ts";
import type { RecordedSale } from "#store/sales.ts";
import { bindingOf } from "../attribution/customer.ts";

type FirstSales = NonNullable<ReturnType<ReturnType<typeof firstSalesWithout>["decode"]>>;

/**
 * The customer's first sales without the corrected sale. `again` is the corrected sale's new instant (ms), or undefined
 * if another customer gets the sale. Returns undefined if nothing changes.
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
  // Without another attributed sale, the corrected sale stays the first attributed one, if the attribution covers its
  // new instant.
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
 * the attribution window already at `before`, its old instant, it had been credited when an earlier correction removed
 * the sale within the window. Then it stays credited.
 */
function countsAt(known: FirstSales, at: number, before: number): boolean {
  const binding = bindingOf(known);
  if (binding === undefined) return known.since !== null && at >= known.since;
  const isWithin = (instant: number) => saleWithinWindow(binding, instant).ok;
  return at >= binding.clickAt && (isWithin(at) || !isWithin(before));
}
