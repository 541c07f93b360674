import { describe, expect, it } from "vitest";
import { maxAmountCents } from "#domain/money.ts";
import { countRefunds } from "#domain/refund-count.ts";
import { RefundBook } from "./refund-history.ts";
import { at, cancel, cancelTo, of, part, pending, rest, running, skipped, soldAs, totals } from "./refund-reports.ts";

describe("a refund reported by running totals", () => {
  it("a refund reported by running totals adds the difference from the last total of the same refund id", () => {
    const book = soldAs();
    expect(book.report(running("ch", 500))).toMatchObject({ refundedCents: 500, refundedTotalCents: 500 });
    expect(book.report(running("ch", 700))).toMatchObject({ refundedCents: 200, refundedTotalCents: 700 });
    for (const cents of [700, 500, 1]) expect(book.report(running("ch", cents))).toEqual(skipped("already refunded"));
    expect(book.report(running("ch", 1001))).toMatchObject({ refundedTotalCents: 1000, status: "reversed" });
    expect(book.report(running("ch", 1002))).toEqual(skipped("already reversed", true));
  });

  it("a refund reported by running totals is added to refunds with other refund ids and to refunds reported by amounts", () => {
    expect(totals([running("ch_1", 300), running("ch_2", 200), part("r", 100), running("ch_1", 400)])).toEqual([
      300, 500, 600, 700,
    ]);
  });

  it("a refund reported by running totals changes nothing if its instant is before the newest one reported for the same refund id", () => {
    const book = soldAs();
    book.report(running("ch", 300, at(5)));
    expect(book.report(running("ch", 400, at(4)))).toEqual(skipped("older"));
    expect(book.report(running("ch", 300, at(4)))).toEqual(skipped("already refunded"));
    expect(book.report(running("ch", 300, at(5)))).toEqual(skipped("already refunded"));
    expect(book.report(running("ch", 400, at(5)))).toMatchObject({ refundedCents: 100 });
    expect(book.report(running("ch", 500))).toMatchObject({ refundedCents: 100 });
    expect(book.report(running("other", 100, at(1)))).toMatchObject({ refundedCents: 100 });
  });

  it("a newer running total is stored even if it isn't higher, because it can count later if an earlier total is canceled", () => {
    const book = soldAs();
    book.report(running("ch", 700, at(1)));
    expect(book.report(running("ch", 300, at(9)))).toEqual(skipped("already refunded", true));
    expect(book.report(running("ch", 300, at(9)))).toEqual(skipped("already refunded"));
    expect(book.report(running("ch", 200, at(8)))).toEqual(skipped("already refunded"));
    expect(book.report(running("ch", 400, at(9)))).toEqual(skipped("already refunded", true));
    expect(book.report(cancelTo("ch", 100, at(5)))).toMatchObject({ refundedCents: -300, refundedTotalCents: 400 });
    expect(countRefunds(1000, book.recorded).parts).toEqual([100, 200, 100, 0]);
  });

  it("a refund reported by running totals is stored only if its instant is after that of the last cancellation", () => {
    const book = soldAs();
    book.report(cancelTo("ch", 300, at(5)));
    for (const seconds of [4, 5]) {
      expect(book.report(running("ch", 300, at(seconds)))).toEqual(skipped("already refunded"));
      expect(book.report(running("ch", 301, at(seconds)))).toEqual(skipped("older"));
    }
    expect(book.recorded).toHaveLength(1);
  });
});

describe("a running total without an id", () => {
  it("a running total without an id covers the whole sale, and counts only the part above the sum of the refunds with ids", () => {
    const book = soldAs();
    expect(totals([part("a", 200), running("ch", 200), running(undefined, 500)], book)).toEqual([200, 400, 500]);
    for (const cents of [1, 400, 500])
      expect(book.report(running(undefined, cents))).toEqual(skipped("already refunded"));
    expect(totals([part("b", 100), part("c", 100), running(undefined, 700)], book)).toEqual([500, 600, 700]);
    expect(book.report(running(undefined, 1001))).toMatchObject({ refundedTotalCents: 1000, status: "reversed" });
  });

  it("a running total without an id also includes refunds that were reported by amounts without an id", () => {
    expect(totals([part(undefined, 400), running(undefined, 500), part(undefined, 50)])).toEqual([400, 500, 500]);
    const book = soldAs();
    book.report(part(undefined, 400));
    expect(book.report(running(undefined, 400))).toEqual(skipped("already refunded"));
  });

  it("a running total without an id keeps its amount if a refund that it includes is canceled", () => {
    expect(totals([part("a", 400), running(undefined, 600), cancel("a")])).toEqual([400, 600, 600]);
  });

  it("a running total without an id is scaled by the total of the charge like any other refund amount", () => {
    expect(totals([of(2000, running(undefined, 500)), of(2000, running(undefined, 1100))])).toEqual([250, 550]);
  });
});

describe("the total of a charge", () => {
  it.each([
    [
      "above the sale's amount",
      1190,
      [
        [119, 100],
        [119, 200],
        [952, 1000],
      ],
    ],
    [
      "below the sale's amount",
      500,
      [
        [100, 200],
        [1, 202],
        [399, 1000],
      ],
    ],
    [
      "with an uneven rate, rounded half up over the sum,",
      2000,
      [
        [1, 1],
        [1, 1],
        [1, 2],
        [1, 2],
      ],
    ],
  ] as const)("the total of a charge %s scales refunds reported in the charge's unit", (_, chargeTotalCents, steps) => {
    const reports = steps.map(([cents], i) => of(chargeTotalCents, part(`r${i}`, cents)));
    expect(totals(reports)).toEqual(steps.map(([, refunded]) => refunded));
  });

  it("the total of a charge scales the sum of all refunds reported in the charge's unit, and the result is rounded once", () => {
    const thirds = ["a", "b", "c"].map((refundId) => of(3, part(refundId, 1)));
    expect(totals(thirds)).toEqual([333, 667, 1000]);
    expect(totals(thirds, new RefundBook(maxAmountCents, pending)).at(-1)).toBe(maxAmountCents);
  });

  it("a refund with the total of a charge is added to refunds in the sale's unit, up to the amount of the sale", () => {
    expect(totals([part("a", 100), of(500, part("b", 100)), of(500, running("ch", 400)), rest()])).toEqual([
      100, 300, 1000, 1000,
    ]);
    expect(totals([of(500, part("b", 501))])).toEqual([1000]);
    expect(totals([of(500, part("b", 5000))])).toEqual([1000]);
  });

  it("the total of a charge has no effect on a refund call without an amount, which refunds the whole sale", () => {
    expect(totals([of(500, part("a", 100)), of(500, rest("b")), cancel("a")])).toEqual([200, 1000, 1000]);
    expect(totals([of(500_000, rest())])).toEqual([1000]);
  });

  it("the total of a charge can scale an amount to zero, which is recorded because several such amounts may add up to a cent", () => {
    const book = soldAs();
    const tiny = (refundId: string) => of(1_000_000, part(refundId, 250));
    expect(book.report(tiny("a"))).toMatchObject({ kind: "refund", refundedCents: 0, status: "refunded" });
    expect(book.report(tiny("b"))).toMatchObject({ kind: "refund", refundedCents: 1 });
  });
});
