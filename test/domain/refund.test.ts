import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { maxAmountCents } from "../../src/domain/money.ts";
import {
  decideRefund,
  type EarlierRefund,
  type RefundableSale,
  type RefundRequest,
  replayRefunds,
} from "../../src/domain/refund.ts";

const sale: RefundableSale = {
  amountCents: 1000,
  refundedCents: 0,
  commission: { status: "pending", initialCents: 205, amountCents: 205 },
};
const withStatus = (status: RefundableSale["commission"]["status"], amountCents = 205): RefundableSale => ({
  ...sale,
  commission: { ...sale.commission, status, amountCents },
});
const decide = (of: RefundableSale, request: RefundRequest) => decideRefund(of, request, undefined);

describe("decideRefund", () => {
  it("takes all that is left where nothing is said", () => {
    expect(decide(sale, {})).toEqual({
      kind: "refund",
      refundedCents: 1000,
      refundedTotalCents: 1000,
      commissionReversedCents: 205,
      commissionAmountCents: 0,
      status: "reversed",
      nextCommissionStatus: "reversed",
    });
  });

  it("lowers the commission by a partial refund, and keeps its state", () => {
    for (const status of ["pending", "approved"] as const) {
      expect(decide(withStatus(status), { amountCents: 500 })).toEqual({
        kind: "refund",
        refundedCents: 500,
        refundedTotalCents: 500,
        commissionReversedCents: 102,
        commissionAmountCents: 103,
        status: "refunded",
        nextCommissionStatus: status,
      });
    }
  });

  it("takes a running total as the difference to what is refunded", () => {
    const half = { ...sale, refundedCents: 500, commission: { ...sale.commission, amountCents: 103 } };
    expect(decide(half, { totalCents: 700 })).toMatchObject({ refundedCents: 200, refundedTotalCents: 700 });
    expect(decide(half, { totalCents: 500 })).toEqual({ kind: "skipped", reason: "already refunded" });
    expect(decide(half, { totalCents: 1 })).toEqual({ kind: "skipped", reason: "already refunded" });
    expect(decide(half, { totalCents: 1001 })).toEqual({ kind: "exceeds", refundableCents: 500 });
  });

  it("refuses more than is left, and skips where nothing is", () => {
    const most = { ...sale, refundedCents: 999 };
    expect(decide(most, { amountCents: 2 })).toEqual({ kind: "exceeds", refundableCents: 1 });
    expect(decide(most, { amountCents: 1 })).toMatchObject({ kind: "refund", status: "reversed" });
    const done = { ...sale, refundedCents: 1000 };
    for (const request of [{}, { amountCents: 5000 }, { totalCents: 1000 }, { totalCents: 5000 }]) {
      expect(decide(done, request)).toEqual({ kind: "skipped", reason: "already reversed" });
    }
  });

  it("reverses nothing of a void commission, and says so", () => {
    expect(decide({ ...sale, commission: { status: "void", initialCents: 0, amountCents: 0 } }, {})).toMatchObject({
      refundedCents: 1000,
      commissionReversedCents: 0,
      status: "no_commission",
      nextCommissionStatus: "void",
    });
  });

  it("records the refund of a rejected commission, and reverses 0", () => {
    expect(decide(withStatus("rejected", 0), {})).toMatchObject({
      refundedTotalCents: 1000,
      commissionReversedCents: 0,
      commissionAmountCents: 0,
      status: "reversed",
      nextCommissionStatus: "rejected",
    });
  });

  it("reverses a paid commission and leaves it paid", () => {
    expect(decide(withStatus("paid"), {})).toMatchObject({
      commissionReversedCents: 205,
      commissionAmountCents: 0,
      status: "reversed",
      nextCommissionStatus: "paid",
    });
  });

  it("never raises a commission that was adjusted downwards", () => {
    expect(decide(withStatus("pending", 10), { amountCents: 1 })).toMatchObject({
      commissionReversedCents: 0,
      commissionAmountCents: 10,
    });
  });

  describe("with a refund_id that is known", () => {
    const first: EarlierRefund = {
      refundedCents: 300,
      refundedTotalCents: 700,
      asked: "amount",
      commissionReversedCents: 61,
      commissionAmountCents: 62,
      status: "refunded",
    };
    const done = { ...sale, refundedCents: 1000 };
    const repeat = (request: RefundRequest, asked: EarlierRefund["asked"]) =>
      decideRefund(done, { ...request, refundId: "r1" }, { ...first, asked });

    it.each([
      [{ amountCents: 300 }, "amount"],
      [{ amountCents: 300 }, "rest"],
      [{ totalCents: 700 }, "total"],
      [{ totalCents: 700 }, "amount"],
      [{}, "rest"],
    ] as const)("skips %j after %s, with the first figures, though nothing is left", (request, asked) => {
      expect(repeat(request, asked)).toEqual({
        kind: "skipped",
        reason: "duplicate refund_id",
        first: { ...first, asked },
      });
    });

    it.each([
      [{ amountCents: 301 }, "amount", ["refund_amount_cents"]],
      [{ totalCents: 300 }, "total", ["refunded_total_cents"]],
      [{}, "amount", ["refund_amount_cents"]],
      [{}, "total", ["refunded_total_cents"]],
      [{ amountCents: 1, totalCents: 1 }, "amount", ["refund_amount_cents", "refunded_total_cents"]],
    ] as const)("names what differs in %j after %s", (request, asked, differences) => {
      expect(repeat(request, asked)).toEqual({ kind: "conflict", differences });
    });
  });
});

/** A sale with a commission, and refunds that add up to it: the places at which it is cut. */
const splitSale = fc
  .record({
    amountCents: fc.oneof(fc.integer({ min: 1, max: 1000 }), fc.integer({ min: 1, max: maxAmountCents })),
    initialCents: fc.oneof(fc.nat(1000), fc.nat(maxAmountCents)),
    status: fc.constantFrom("pending" as const, "approved" as const, "paid" as const),
  })
  .chain((made) =>
    fc.record({
      made: fc.constant(made),
      totals: fc
        .uniqueArray(fc.integer({ min: 1, max: made.amountCents }), { maxLength: 20 })
        .map((cuts) => [...new Set([...cuts, made.amountCents])].sort((a, b) => a - b)),
      by: fc.constantFrom("amount", "total"),
    }),
  );

it("refunds that add up to the sale reverse the commission to exactly 0, however it is split", () => {
  fc.assert(
    fc.property(splitSale, ({ made: { amountCents, initialCents, status }, totals, by }) => {
      let current: RefundableSale = {
        amountCents,
        refundedCents: 0,
        commission: { status, initialCents, amountCents: initialCents },
      };
      const reversals: number[] = [];
      for (const totalCents of totals) {
        const request = by === "total" ? { totalCents } : { amountCents: totalCents - current.refundedCents };
        const decision = decide(current, request);
        if (decision.kind !== "refund") throw new Error(decision.kind);
        expect(decision.commissionReversedCents).toBeGreaterThanOrEqual(0);
        expect(decision.status).toBe(totalCents === amountCents ? "reversed" : "refunded");
        reversals.push(decision.commissionReversedCents);
        current = {
          amountCents,
          refundedCents: decision.refundedTotalCents,
          commission: {
            status: decision.nextCommissionStatus,
            initialCents,
            amountCents: decision.commissionAmountCents,
          },
        };
      }
      expect(current.commission).toMatchObject({ amountCents: 0, status: status === "paid" ? "paid" : "reversed" });
      expect(reversals.reduce((sum, reversed) => sum + reversed, 0)).toBe(initialCents);
      expect(replayRefunds(initialCents, amountCents, totals)).toEqual(reversals);
    }),
  );
});

it("replayRefunds gives each refund its own reversal", () => {
  expect(replayRefunds(10, 3, [1, 2, 3])).toEqual([3, 4, 3]);
  expect(replayRefunds(205, 1000, [500])).toEqual([102]);
  expect(replayRefunds(205, 1000, [])).toEqual([]);
});
