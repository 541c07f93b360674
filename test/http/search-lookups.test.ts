import { expect, it } from "vitest";
import { lookupsOf } from "#api/explain/lookups.ts";
import { clickOf } from "../support/program-fixture.ts";

const click = clickOf(94_790_211_161_701, { linkId: 7 }, Date.now());

it.each([
  ["order-17", ["transaction", "customer"]],
  ["0017", ["transaction", "customer"]],
  ["17", ["sale", "commission", "lead", "transaction", "customer"]],
  [click, ["click", "transaction", "customer"]],
  [`${click}${click}`, ["transaction", "customer"]],
  ["a / b", ["transaction", "transaction", "customer"]],
  ["a /", ["transaction", "customer"]],
  ["/b", ["transaction", "customer"]],
])("a search for %s looks it up as every kind of id that the text can be", (text, ways) => {
  expect(lookupsOf(text).map(({ by }) => by)).toEqual(ways);
});

it("a search text is split into a transaction_id and a refund id at the last slash, or at a slash with spaces", () => {
  expect(lookupsOf("shop/17/r1")[0]).toEqual({ by: "transaction", key: "shop/17", refundId: "r1" });
  expect(lookupsOf("shop/17 / r/1")[0]).toEqual({ by: "transaction", key: "shop/17", refundId: "r/1" });
});
