import { expect, test } from "vitest";
import { shownSums } from "#domain/statement-sums.ts";
import type { Statement } from "../../dashboard/src/api/types.ts";
import { closingSums } from "../../dashboard/src/components/statement/closing-sums.ts";

test("a statement shows returned payments as a separate sum", () => {
  const entries = [
    { kind: "returned", amountCents: 950 },
    { kind: "paid", amountCents: -5_475 },
  ];
  const sums = { openingCents: 0, earnedCents: 4_525, refundedCents: 0, adjustedCents: 0, paidCents: -4_525 };
  const data = { entries, ...sums, closingCents: 0 } as unknown as Statement["data"];
  expect(shownSums(closingSums(data)).map(([title, cents]) => [title, cents])).toEqual([
    ["Brought forward", 0],
    ["Earned", 4_525],
    ["Returned payments", 950],
    ["Paid", -5_475],
    ["Carried forward", 0],
  ]);
});
