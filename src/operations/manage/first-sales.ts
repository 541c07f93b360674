import { clockToleranceMs } from "#domain/calendar.ts";
import type { firstSalesWithout } from "#store/customers.ts";
import type { RecordedSale } from "#store/sales.ts";

type FirstSales = NonNullable<ReturnType<ReturnType<typeof firstSalesWithout>["decode"]>>;

interface SoldAgain {
  /** When the customer bought instead. Undefined: another customer did. */
  readonly occurredAt: number | undefined;
  /** The sale keeps its partner, though it is from before their attribution. */
  readonly isKept: boolean;
}

/** As if the customer hadn't bought by this sale. Undefined: nothing changes. */
export function firstSalesAfter(
  known: FirstSales | undefined,
  { occurredAt, partnerId }: RecordedSale["sale"],
  { occurredAt: again, isKept }: SoldAgain,
) {
  if (known === undefined) return undefined;
  const { id, others } = known;
  const isFirst = known.firstSaleAt === occurredAt;
  const isFirstAttributed =
    known.firstAttributedSaleAt === occurredAt && partnerId !== null && partnerId === known.partnerId;
  if (!isFirst && !isFirstAttributed) return undefined;
  // It stays the one by which the click is judged, even if other sales came later.
  const isJudged = again !== undefined && (isKept || countsAt(known, again));
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
