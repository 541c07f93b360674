import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { maxAmountCents } from "#domain/money.ts";
import { replayRefunds } from "#domain/refund.ts";
import { countRefunds } from "#domain/refund-count.ts";
import { RefundBook } from "./refund-history.ts";
import { cancel, cancelTo, of, part, pending, rest, running, skipped, soldAs, totals } from "./refund-reports.ts";

describe("decideRefund", () => {
  it("decideRefund refunds the whole remaining amount by default", () => {
    expect(soldAs().report(rest())).toEqual({
      kind: "refund",
      refundedCents: 1000,
      refundedTotalCents: 1000,
      commissionReversedCents: 205,
      commissionAmountCents: 0,
      initialCents: 205,
      status: "reversed",
      reason: undefined,
      nextCommissionStatus: "reversed",
    });
    const book = soldAs();
    book.report(part("a", 400));
    expect(book.report(rest("b"))).toMatchObject({ refundedCents: 600, refundedTotalCents: 1000, status: "reversed" });
  });

  it.each(["pending", "approved"] as const)(
    "decideRefund lowers the commission by a partial refund, and leaves the status %s",
    (status) => {
      expect(soldAs({ status }).report(part(undefined, 500))).toEqual({
        kind: "refund",
        refundedCents: 500,
        refundedTotalCents: 500,
        commissionReversedCents: 102,
        commissionAmountCents: 103,
        initialCents: 205,
        status: "refunded",
        reason: undefined,
        nextCommissionStatus: status,
      });
    },
  );

  it("decideRefund rejects an amount above the remaining amount, and skips the refund if nothing is left", () => {
    const book = soldAs();
    book.report(part(undefined, 999));
    expect(book.report(part(undefined, 2))).toEqual({ kind: "exceeds", refundableCents: 1 });
    expect(book.report(part("a", 2))).toEqual({ kind: "exceeds", refundableCents: 1 });
    expect(book.report(part(undefined, 1))).toMatchObject({ kind: "refund", status: "reversed" });
    for (const report of [rest(), part(undefined, 5000), running(undefined, 1000), running(undefined, 5000)]) {
      expect(book.report(report)).toEqual(skipped("already reversed"));
    }
  });

  it("decideRefund counts an amount that is sent without an id each time", () => {
    expect(totals([part(undefined, 300), part(undefined, 300), part("a", 300), part("a", 300)])).toEqual([
      300, 600, 900, 900,
    ]);
  });

  describe("decideRefund for a closed commission", () => {
    it("decideRefund, for a closed commission, records the refund of a void commission's sale, and reports that there is nothing to reverse", () => {
      const book = soldAs({ status: "void", initialCents: 0, amountCents: 0, holdUntil: null });
      const none = { commissionReversedCents: 0, commissionAmountCents: 0, nextCommissionStatus: "void" };
      expect(book.report(part("a", 400))).toMatchObject({ ...none, refundedCents: 400, status: "no_commission" });
      expect(book.report(rest())).toMatchObject({ ...none, refundedCents: 600, status: "no_commission" });
      expect(book.report(cancel("a"))).toMatchObject({ ...none, refundedCents: 0, status: "restored" });
    });

    it("decideRefund, for a closed commission, records the refund of a rejected commission's sale, and reverses no amount", () => {
      const book = soldAs({ status: "rejected", amountCents: 0 });
      const none = { commissionReversedCents: 0, commissionAmountCents: 0, nextCommissionStatus: "rejected" };
      expect(book.report(part("a", 400))).toMatchObject({ ...none, refundedTotalCents: 400, status: "refunded" });
      expect(book.report(rest())).toMatchObject({ ...none, refundedTotalCents: 1000, status: "reversed" });
    });
  });
});

describe("a refund reported by its amount", () => {
  it.each([
    [part("r", 300), part("r", 300)],
    [rest("r"), rest("r")],
    [of(100, part("r", 30)), of(100, part("r", 30))],
    [of(100, rest("r")), of(100, rest("r"))],
  ])("a refund is skipped as a duplicate if %j is sent again, even if nothing is left to refund", (first, again) => {
    const book = soldAs();
    book.report(part("other", 100));
    book.report(first);
    expect(book.report(again)).toEqual({ kind: "duplicate", first: 1 });
    book.report(rest());
    expect(book.report(again)).toEqual({ kind: "duplicate", first: 1 });
  });

  it.each([
    [part("r", 300), part("r", 301), ["refund_amount_cents"]],
    [part("r", 300), part("r", 5000), ["refund_amount_cents"]],
    [part("r", 300), rest("r"), ["refund_amount_cents"]],
    [rest("r"), part("r", 1000), ["refund_amount_cents"]],
    [part("r", 300), running("r", 300), ["refunded_total_cents"]],
    [part("r", 300), cancelTo("r", 0), ["refunded_total_cents"]],
    [rest("r"), running("r", 1000), ["refunded_total_cents"]],
    [running("r", 300), part("r", 300), ["refund_amount_cents"]],
    [running("r", 300), rest("r"), ["refunded_total_cents"]],
    [cancelTo("r", 300), part("r", 300), ["refund_amount_cents"]],
    [part("r", 300), of(1000, part("r", 300)), ["charge_total_cents"]],
    [of(1000, part("r", 300)), part("r", 300), ["charge_total_cents"]],
    [running("r", 300), of(1000, running("r", 400)), ["charge_total_cents"]],
    [of(1000, running("r", 300)), running("r", 400), ["charge_total_cents"]],
    [of(1000, running("r", 300)), cancelTo("r", 0), ["charge_total_cents"]],
    [rest("r"), of(1000, rest("r")), ["charge_total_cents"]],
    [of(1000, part("r", 300)), of(999, part("r", 300)), ["charge_total_cents"]],
    [of(1000, part("r", 300)), of(999, part("other", 300)), ["charge_total_cents"]],
    [of(1000, part(undefined, 300)), of(999, running(undefined, 800)), ["charge_total_cents"]],
    [of(1000, part("r", 300)), of(999, cancel("r")), ["charge_total_cents"]],
    [of(1000, part("r", 300)), of(999, part("r", 301)), ["refund_amount_cents", "charge_total_cents"]],
    [of(1000, part("r", 300)), running("r", 300), ["refunded_total_cents", "charge_total_cents"]],
  ])("a refund reported by its amount is refused if %j contradicts %j", (first, other, differences) => {
    const book = soldAs();
    book.report(first);
    expect(book.report(other)).toEqual({ kind: "conflict", differences });
    book.report(rest());
    expect(book.report(other)).toEqual({ kind: "conflict", differences });
  });

  it("a refund reported by its amount may have a charge total even if another refund had none, and may be canceled without it", () => {
    const book = soldAs();
    expect(totals([part("a", 300), of(500, part("b", 100)), cancel("b")], book)).toEqual([300, 500, 300]);
  });
});

/** A sale with a commission, and the points at which refunds divide the sale's amount. */
const splitSale = fc
  .record({
    amountCents: fc.oneof(fc.integer({ min: 1, max: 1000 }), fc.integer({ min: 1, max: maxAmountCents })),
    initialCents: fc.oneof(fc.nat(1000), fc.nat(maxAmountCents)),
    status: fc.constantFrom("pending" as const, "approved" as const),
  })
  .chain((made) =>
    fc.record({
      made: fc.constant(made),
      cuts: fc
        .uniqueArray(fc.integer({ min: 1, max: made.amountCents }), { maxLength: 20 })
        .map((cuts) => [...new Set([...cuts, made.amountCents])].sort((a, b) => a - b)),
      by: fc.constantFrom("amount", "total", "total of one id"),
    }),
  );

it("refunds that add up to the sale's amount reverse the commission to exactly 0, however they are split", () => {
  fc.assert(
    fc.property(splitSale, ({ made: { amountCents, initialCents, status }, cuts, by }) => {
      const book = new RefundBook(amountCents, { ...pending, status, initialCents, amountCents: initialCents });
      const reversals: number[] = [];
      for (const cut of cuts) {
        const id = by === "total" ? undefined : "ch";
        const decision = book.report(by === "amount" ? part(undefined, cut - book.refundedCents) : running(id, cut));
        if (decision.kind !== "refund") throw new Error(decision.kind);
        expect(decision.commissionReversedCents).toBeGreaterThanOrEqual(0);
        expect(decision.status).toBe(cut === amountCents ? "reversed" : "refunded");
        reversals.push(decision.commissionReversedCents);
      }
      expect(book.commission).toMatchObject({ amountCents: 0, status: "reversed" });
      expect(reversals.reduce((sum, reversed) => sum + reversed, 0)).toBe(initialCents);
      const replayed = replayRefunds(initialCents, amountCents, countRefunds(amountCents, book.recorded).parts);
      expect(replayed.map(({ reversedCents }) => reversedCents)).toEqual(reversals);
    }),
  );
});

describe("countRefunds", () => {
  it("countRefunds returns zero without refunds", () => {
    expect(countRefunds(1000, []).parts).toEqual([]);
  });

  it("countRefunds returns the counted amount of each call in the order of recording, and at most what is left of the sale", () => {
    const book = soldAs();
    totals([part("a", 300), running("ch", 600), rest("b"), running("ch", 800), part("c", 1)], book);
    expect(countRefunds(1000, book.recorded).parts).toEqual([300, 600, 100, 0, 0]);
  });
});

describe("replayRefunds", () => {
  const reversed = (...args: Parameters<typeof replayRefunds>) =>
    replayRefunds(...args).map(({ reversedCents }) => reversedCents);

  it("replayRefunds calculates the reversal of each refund", () => {
    expect(reversed(10, 3, [1, 1, 1])).toEqual([3, 4, 3]);
    expect(reversed(205, 1000, [500])).toEqual([102]);
    expect(reversed(205, 1000, [])).toEqual([]);
  });

  it("replayRefunds returns the commission left after each refund, and whether the whole sale has been refunded", () => {
    expect(replayRefunds(10, 3, [1, 0, 2, 0])).toEqual([
      { reversedCents: 3, leftCents: 7, isWhole: false },
      { reversedCents: 0, leftCents: 7, isWhole: false },
      { reversedCents: 7, leftCents: 0, isWhole: true },
      { reversedCents: 0, leftCents: 0, isWhole: true },
    ]);
    expect(replayRefunds(0, 3, [1])).toEqual([{ reversedCents: 0, leftCents: 0, isWhole: false }]);
  });
});
