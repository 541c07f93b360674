import { expect, test } from "vitest";
import { keptId } from "#domain/erasure.ts";

const isReplaced = (id: string, ...names: readonly string[]) => {
  const kept = keptId({ programId: 1, hashSecret: "secret", names }, id);
  return kept !== id && kept.startsWith("erased_");
};

test.each([
  ["order of jo-smith", "jo-smith"],
  ["JO-SMITH:1", "jo-smith"],
  ["xjo-smithx", "jo-smith"],
  ["cus_1-order-7", "cus_1"],
  ["sub/cus_1", "cus_1"],
  ["42", "42"],
  ["42/7", "42"],
  ["re-a@shop.example", "other"],
])("the id %s is pseudonymized when the customer %s is erased", (id, name) => {
  expect(isReplaced(id, name)).toBe(true);
});

test.each([
  ["inv42", "42"],
  ["cus_10", "cus_1"],
  ["xcus_1", "cus_1"],
  ["in_1042", "acct-77"],
])("the id %s is kept when the customer %s is erased", (id, name) => {
  expect(isReplaced(id, name)).toBe(false);
});
