import { describe, expect, it } from "vitest";
import { allSalesOf, earlierSales } from "#operations/attribution/earlier-sales.ts";

describe("sales that were found for one look", () => {
  const found = { sales: { of: allSalesOf(1), found: [] }, refunds: [] };

  it("count where they are wanted", () => {
    expect(earlierSales(found, allSalesOf(1))).toMatchObject({ step: [], hasMore: false });
  });

  it.each([
    ["another customer", allSalesOf(2)],
    ["another point", { ...allSalesOf(1), afterOccurredAt: 5 }],
    ["another sale of one instant", { ...allSalesOf(1), afterSaleId: 5 }],
  ])("are looked for again where those of %s are meant", (_, wanted) => {
    expect(earlierSales(found, wanted)).toEqual({ kind: "retry", missing: { salesOf: wanted } });
  });
});
