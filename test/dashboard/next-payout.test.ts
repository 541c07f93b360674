import { join } from "node:path";
import { expect, test } from "vitest";
import { root } from "../../scripts/root.ts";

test("a paused partner with an amount to be paid isn't promised the next payout", async () => {
  // A static import would make this folder's type check, which doesn't support JSX, read components.
  const path = join(root, "dashboard/src/partner/pages/overview/comes-when.ts");
  const { comesWhen }: { comesWhen(asked: object): string } = await import(/* @vite-ignore */ path);
  const next = { currency: "EUR", payableCents: 1_000, minimumCents: 1, nextHoldEnd: null };
  const textOf = (isPaused: boolean) => comesWhen({ next, balance: undefined, today: "2026-03-04", isPaused });
  expect(textOf(false)).toBe("It will be part of the next payout.");
  expect(textOf(true)).toBe("Payouts usually leave you out while you are paused.");
});
