import { describe, expect, it } from "vitest";
import { allSalesOf, earlierSales } from "#operations/attribution/earlier-sales.ts";

describe("earlier sales that a call has already read", () => {
  const found = { sales: { of: allSalesOf(1), found: [] }, refunds: [] };

  it("earlier sales that a call has already read are used if they match the query", () => {
    expect(earlierSales(found, allSalesOf(1))).toMatchObject({ step: [], hasMore: false });
  });

  it.each([
    ["another customer", allSalesOf(2)],
    ["another time", { ...allSalesOf(1), afterOccurredAt: 5 }],
    ["another sale at the same time", { ...allSalesOf(1), afterSaleId: 5 }],
  ])("earlier sales that a call has already read are read again if the query is for %s", (_, wanted) => {
    expect(earlierSales(found, wanted)).toEqual({ kind: "retry", missing: { salesOf: wanted } });
  });
});
