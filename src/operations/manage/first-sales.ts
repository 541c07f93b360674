import { clockToleranceMs } from "#domain/calendar.ts";
import type { firstSalesWithout } from "#store/customers.ts";
import type { RecordedSale } from "#store/sales.ts";

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
  const isJudged = again !== undefined && countsAt(known, again);
  const firstAttributed = isJudged
    ? Math.min(others.firstAttributedSaleAt ?? again, again)
    : others.firstAttributedSaleAt;
  return {
    id,
    firstSaleAt: isFirst ? others.firstSaleAt : known.firstSaleAt,
    firstAttributedSaleAt: isFirstAttributed ? firstAttributed : known.firstAttributedSaleAt,
  };
}

/** The customer's attribution reaches back to then. */
const countsAt = ({ clickAt, since }: FirstSales, at: number): boolean =>
  clickAt === null ? since !== null && at >= since : clickAt <= at + clockToleranceMs;
