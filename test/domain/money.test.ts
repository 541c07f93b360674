import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { divideHalfUp, maxAmountCents, shareOf } from "#domain/money.ts";

const cents = fc.integer({ min: 0, max: maxAmountCents });

describe("divideHalfUp", () => {
  it.each([
    [0n, 3n, 0n],
    [1n, 3n, 0n],
    [1n, 2n, 1n],
    [5n, 2n, 3n],
    [149n, 100n, 1n],
    [150n, 100n, 2n],
  ])("divideHalfUp returns for %d / %d the result %d", (numerator, denominator, expected) => {
    expect(divideHalfUp(numerator, denominator)).toBe(expected);
  });

  it("divideHalfUp returns the integer that is nearest to the quotient, and the larger of two equally near ones", () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 10n ** 30n }), fc.bigInt({ min: 1n, max: 10n ** 15n }), (n, d) => {
        const twiceError = 2n * divideHalfUp(n, d) * d - 2n * n;
        expect(twiceError > -d && twiceError <= d).toBe(true);
      }),
    );
  });
});

describe("shareOf", () => {
  it("shareOf is exact even if the product exceeds the safe integers", () => {
    expect(shareOf(99_999_999_999, 99_999_999_999, 100_000_000_000)).toBe(99_999_999_998);
    expect(shareOf(maxAmountCents, maxAmountCents, maxAmountCents)).toBe(maxAmountCents);
  });

  it("shareOf never exceeds the amount if the part doesn't exceed the whole", () => {
    fc.assert(
      fc.property(cents, fc.integer({ min: 1, max: maxAmountCents }), fc.nat(maxAmountCents), (amount, whole, part) => {
        expect(shareOf(amount, Math.min(part, whole), whole)).toBeLessThanOrEqual(amount);
      }),
    );
  });
});
