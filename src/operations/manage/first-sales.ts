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
  const { id, clickAt, since, others } = known;
  const countsFrom = clickAt ?? since;
  const isFirst = known.firstSaleAt === occurredAt;
  const isFirstAttributed =
    known.firstAttributedSaleAt === occurredAt && partnerId !== null && partnerId === known.partnerId;
  if (!isFirst && !isFirstAttributed) return undefined;
  // The sale keeps its partner if it is from before their attribution. Else it stays the one by which the click is judged, even if other sales came later.
  const isKept = countsFrom !== null && occurredAt < countsFrom;
  const isJudged = again !== undefined && countsFrom !== null && (again >= countsFrom || isKept);
  const firstAttributed = isJudged
    ? Math.min(others.firstAttributedSaleAt ?? again, again)
    : others.firstAttributedSaleAt;
  return {
    id,
    firstSaleAt: isFirst ? others.firstSaleAt : known.firstSaleAt,
    firstAttributedSaleAt: isFirstAttributed ? firstAttributed : known.firstAttributedSaleAt,
  };
}
