import { saleWithinWindow } from "#domain/attribution.ts";
import type { firstSalesWithout } from "#store/customers.ts";
import type { RecordedSale } from "#store/sales.ts";
import { bindingOf } from "../attribution/customer.ts";

type FirstSales = NonNullable<ReturnType<ReturnType<typeof firstSalesWithout>["decode"]>>;

/** As if the customer hadn't bought by this sale. `again`: when they bought instead. Undefined: nothing changes. */
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
  // It stays the one by which the click is judged, even if other sales came later.
  const firstAttributed =
    others.firstAttributedSaleAt ?? (again !== undefined && countsAt(known, again) ? again : null);
  return {
    id,
    firstSaleAt: isFirst ? others.firstSaleAt : known.firstSaleAt,
    firstAttributedSaleAt: isFirstAttributed ? firstAttributed : known.firstAttributedSaleAt,
  };
}

/** The customer's attribution reaches back to then, and a click as far as that. */
function countsAt(known: FirstSales, at: number): boolean {
  const binding = bindingOf(known);
  if (binding === undefined) return known.since !== null && at >= known.since;
  return at >= binding.clickAt && saleWithinWindow(binding, at).ok;
}
