import { saleWithinWindow } from "#domain/attribution.ts";
import type { firstSalesWithout } from "#store/customers.ts";
import type { RecordedSale } from "#store/sales.ts";
import { bindingOf } from "../attribution/customer.ts";

type FirstSales = NonNullable<ReturnType<ReturnType<typeof firstSalesWithout>["decode"]>>;

/**
 * The customer's first sales without this sale. `again`: the instant of the corrected sale. Undefined: nothing changes.
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
  // The click is still judged by this sale, even if other sales came later.
  const firstAttributed =
    others.firstAttributedSaleAt ?? (again !== undefined && countsAt(known, again) ? again : null);
  return {
    id,
    firstSaleAt: isFirst ? others.firstSaleAt : known.firstSaleAt,
    firstAttributedSaleAt: isFirstAttributed ? firstAttributed : known.firstAttributedSaleAt,
  };
}

/** The customer's attribution covers that instant, as far as the click allows. */
function countsAt(known: FirstSales, at: number): boolean {
  const binding = bindingOf(known);
  if (binding === undefined) return known.since !== null && at >= known.since;
  return at >= binding.clickAt && saleWithinWindow(binding, at).ok;
}
