import { expect, test } from "vitest";
import { takenBy, usualReference } from "../../dashboard/src/pages/payouts/references.ts";

const today = "2026-11-29";

test("a payout's default name has its month, and its currency if that isn't the program's", () => {
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

test("a canceled draft leaves its name to the next payout, and a canceled final payout keeps it", () => {
  const named = (reference: string, status: string, finalizedAt: string | null) => ({ reference, status, finalizedAt });
  const taken = takenBy([
    named("November 2026", "canceled", null),
    named("29 November 2026", "canceled", "2026-11-29T08:00:00.000Z"),
    named("October 2026", "paid", "2026-11-01T08:00:00.000Z"),
  ]);
  expect([...taken]).toEqual(["29 November 2026", "October 2026"]);
  expect(usualReference(today, taken, undefined)).toBe("November 2026");
});
