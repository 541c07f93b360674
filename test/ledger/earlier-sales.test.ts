import { describe, expect, it } from "vitest";
import { allSalesOf, earlierSales } from "#operations/attribution/earlier-sales.ts";

describe("sales found by an earlier read", () => {
  const found = { sales: { of: allSalesOf(1), found: [] }, refunds: [] };

  it("are used if they match", () => {
    expect(earlierSales(found, allSalesOf(1))).toMatchObject({ step: [], hasMore: false });
  });

  it.each([
    ["another customer", allSalesOf(2)],
    ["another time", { ...allSalesOf(1), afterOccurredAt: 5 }],
    ["another sale at the same time", { ...allSalesOf(1), afterSaleId: 5 }],
  ])("are read again for %s", (_, wanted) => {
    expect(earlierSales(found, wanted)).toEqual({ kind: "retry", missing: { salesOf: wanted } });
  });
});
