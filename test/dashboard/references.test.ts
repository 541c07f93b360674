import { expect, test } from "vitest";
import { nextReference, usualReference } from "../../dashboard/src/pages/payouts/references.ts";

const today = "2026-11-29";

test("a payout's default name is the month, or today's date if the month is taken, with a currency that isn't the program's", () => {
  const taken = new Set<string>();
  const make = (otherCurrency?: string) => {
    const reference = usualReference(today, taken, otherCurrency);
    taken.add(reference);
    return reference;
  };
  expect([make(), make("USD"), make(), make("USD"), make(), make()]).toEqual([
    "November 2026",
    "November 2026, USD",
    "29 November 2026",
    "29 November 2026, USD",
    "29 November 2026 (2)",
    "29 November 2026 (3)",
  ]);
});

test("a payout draft that replaces another is named after the day, or has the other draft's own name with a number", () => {
  const next = (reference: string, taken: readonly string[], otherCurrency?: string) =>
    nextReference(reference, today, new Set(taken), otherCurrency);
  expect(next("November 2026", [])).toBe("29 November 2026");
  expect(next("November 2026, USD", ["November 2026"], "USD")).toBe("29 November 2026, USD");
  expect(next("29 November 2026", ["November 2026"])).toBe("29 November 2026 (2)");
  expect(next("Autumn bonus", [])).toBe("Autumn bonus (2)");
  expect(next("Autumn bonus (2)", ["Autumn bonus"])).toBe("Autumn bonus (3)");
});
