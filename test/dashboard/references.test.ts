import { expect, test } from "vitest";
import { nextReference, usualReference } from "../../dashboard/src/pages/payouts/references.ts";

const today = "2026-11-29";

test("a payout is named by its month, and by a currency that isn't the program's", () => {
  const taken = new Set<string>();
  const make = (otherCurrency?: string) => {
    const reference = usualReference(today, taken, otherCurrency);
    taken.add(reference);
    return reference;
  };
  expect([make(), make("USD"), make(), make("USD")]).toEqual([
    "November 2026",
    "November 2026, USD",
    "November 2026 (2)",
    "November 2026, USD (2)",
  ]);
  expect(nextReference("November 2026, USD (2)", taken)).toBe("November 2026, USD (3)");
});
