import { describe, expect, it } from "vitest";
import type { CommissionStatus } from "#domain/commission-status.ts";
import { countRefunds } from "#domain/refund-count.ts";
import { type Commission, minute, now, type RefundBook, type RefundReport } from "./refund-history.ts";
import { at, cancel, cancelTo, of, part, rest, running, skipped, soldAs, totals } from "./refund-reports.ts";

describe("the cancellation of a refund", () => {
  it("the cancellation of a refund sets the refund to 0, and no later call can change the same refund id", () => {
    const book = soldAs();
    book.report(part("a", 500));
    book.report(part("b", 100));
    expect(book.report(cancel("a"))).toEqual({
      kind: "refund",
      refundedCents: -500,
      refundedTotalCents: 100,
      commissionReversedCents: -103,
      commissionAmountCents: 185,
      initialCents: 205,
      status: "restored",
      reason: undefined,
      nextCommissionStatus: "pending",
    });
    const anything = [cancel("a"), part("a", 500), part("a", 1), rest("a"), running("a", 1, at(900)), cancelTo("a", 0)];
    for (const report of anything) expect(book.report(report)).toEqual(skipped("canceled"));
    expect(book.report(of(7, part("a", 1)))).toEqual(skipped("canceled"));
    expect(countRefunds(1000, book.recorded).parts).toEqual([0, 100, 0]);
  });

  it("the cancellation of a refund also closes a refund id that was reported by running totals", () => {
    expect(totals([running("ch", 300, at(1)), running("ch", 500, at(2)), cancel("ch")])).toEqual([300, 500, 0]);
    expect(totals([cancelTo("ch", 300, at(1)), cancel("ch"), running("ch", 500, at(2))])).toEqual([300, 0, 0]);
  });

  it("the cancellation of an unknown refund is recorded, and later calls with this refund id are skipped", () => {
    const book = soldAs();
    expect(book.report(cancel("a"))).toMatchObject({
      kind: "refund",
      refundedCents: 0,
      commissionReversedCents: 0,
      status: "restored",
      nextCommissionStatus: "pending",
    });
    expect(book.report(part("a", 500))).toEqual(skipped("canceled"));
    expect(book.refundedCents).toBe(0);
  });

  it("the cancellation of a refund restores only the amount that no other refund covers", () => {
    expect(totals([part("a", 400), rest("b"), cancel("a"), cancel("b")])).toEqual([400, 1000, 1000, 0]);
    expect(totals([rest("b"), part("a", 400), cancel("b")])).toEqual([1000, 1000, 400]);
  });

  it("the cancellation of a refund makes other refunds count that had no effect because nothing was left to refund", () => {
    const book = soldAs();
    book.report(rest("a"));
    expect(book.report(part("b", 300))).toEqual(skipped("already reversed", true));
    expect(book.report(running("ch", 200))).toEqual(skipped("already reversed", true));
    expect(book.report(rest())).toEqual(skipped("already reversed"));
    expect(book.report(part("b", 300))).toEqual({ kind: "duplicate", first: 1 });
    expect(book.report(cancel("a"))).toMatchObject({ refundedCents: -500, refundedTotalCents: 500 });
    expect(countRefunds(1000, book.recorded).parts).toEqual([0, 300, 200, 0]);
  });

  it("the cancellation of a refund with a remaining total lowers the refund to this total, and accepts later calls for the refund id", () => {
    const book = soldAs();
    const steps = [running("ch", 700, at(1)), cancelTo("ch", 200, at(5)), running("ch", 300, at(6))];
    expect(totals(steps, book)).toEqual([700, 200, 300]);
    expect(book.report(cancelTo("ch", 200, at(5)))).toEqual(skipped("canceled"));
    expect(book.report(cancelTo("ch", 200))).toEqual(skipped("canceled"));
    expect(book.report(running("ch", 700, at(4)))).toEqual(skipped("older"));
    expect(book.report(cancelTo("ch", 0, at(7)))).toMatchObject({ refundedCents: -300, status: "restored" });
    expect(countRefunds(1000, book.recorded).parts).toEqual([0, 0, 0, 0]);
  });

  it("the cancellation of a refund with a remaining total reduces the newest amounts first", () => {
    const book = soldAs();
    const steps = [running("ch", 300, at(1)), running("ch", 500, at(2)), cancelTo("ch", 400, at(3))];
    expect(totals(steps, book)).toEqual([300, 500, 400]);
    expect(countRefunds(1000, book.recorded).parts).toEqual([300, 100, 0]);
  });

  it("the cancellation of an unknown refund with a remaining total records a refund of this total", () => {
    const book = soldAs();
    expect(book.report(cancelTo("ch", 300, at(5)))).toMatchObject({
      refundedCents: 300,
      commissionReversedCents: 61,
      status: "restored",
    });
    expect(totals([running("ch", 700, at(4)), running("ch", 400, at(6))], book)).toEqual([300, 400]);
  });

  it("the cancellation of a refund with a remaining total affects totals reported up to its instant, no matter when it arrives", () => {
    const late = [running("ch", 700, at(1)), running("ch", 800, at(9)), cancelTo("ch", 200, at(5))];
    expect(totals(late)).toEqual([700, 800, 800]);
    const cancels = [running("ch", 700, at(1)), cancelTo("ch", 0, at(9)), cancelTo("ch", 300, at(5))];
    expect(totals(cancels)).toEqual([700, 0, 0]);
  });

  it("the cancellation of a refund applies again at a later instant, even with a remaining total that was reported before", () => {
    const again = [running("ch", 500, at(6)), cancelTo("ch", 200, at(7))];
    expect(totals([cancelTo("ch", 200, at(5)), ...again])).toEqual([200, 500, 200]);
  });

  it("the cancellation of a refund has the lowest remaining total if several cancellations have the same instant", () => {
    const both = [cancelTo("ch", 300, at(5)), cancelTo("ch", 100, at(5))];
    expect(totals([running("ch", 700, at(5)), ...both])).toEqual([700, 300, 100]);
    expect(totals([...both.reverse(), running("ch", 700, at(5))])).toEqual([100, 100, 100]);
  });

  it("the cancellation of a refund without an instant applies up to the time at which it arrives", () => {
    const book = soldAs();
    expect(totals([running("ch", 700, at(1)), cancelTo("ch", 200)], book)).toEqual([700, 200]);
    expect(book.report(running("ch", 800, now + 2 * minute))).toEqual(skipped("older"));
    expect(book.report(running("ch", 400, now + 2 * minute + 1))).toMatchObject({ refundedTotalCents: 400 });
  });

  it("after the cancellation of a refund, a running total without an instant counts only if it exceeds the highest total ever reported", () => {
    const book = soldAs();
    book.report(running("ch", 700));
    book.report(cancelTo("ch", 200));
    expect(book.report(running("ch", 300))).toEqual(skipped("already refunded"));
    expect(book.report(running("ch", 700))).toEqual(skipped("already refunded"));
    expect(book.report(running("ch", 701))).toMatchObject({ refundedCents: 501, refundedTotalCents: 701 });
    expect(book.report(running("ch", 701))).toEqual(skipped("already refunded"));
  });

  it("the cancellation of a refund has its remaining total in the charge's unit if the refund was reported in this unit", () => {
    expect(totals([of(2000, running("ch", 1000, at(1))), of(2000, cancelTo("ch", 300, at(2)))])).toEqual([500, 150]);
  });

  describe("a cancellation that restores a fully reversed commission", () => {
    const isOver: Partial<Commission> = { holdUntil: now };
    it.each<[string, Partial<Commission>, CommissionStatus]>([
      ["sets it to pending during its hold period", {}, "pending"],
      ["sets it to approved after its hold period", isOver, "approved"],
      ["sets it to pending after its hold period if it is unconfirmed", { ...isOver, unconfirmed: true }, "pending"],
      [
        "sets it to approved if the end of its hold period had approved it",
        { ...isOver, status: "approved", approvedBy: "hold" },
        "approved",
      ],
      ["sets it to approved if a person had approved it", { status: "approved", approvedBy: "person" }, "approved"],
      ["leaves it rejected if it was rejected", { status: "rejected", amountCents: 0 }, "rejected"],
    ])("the cancellation of a refund that fully reversed the commission %s", (_, changes, status) => {
      const book = soldAs(changes);
      book.report(rest("a"));
      expect(book.commission).toMatchObject({ amountCents: 0 });
      const restored = status === "rejected" ? 0 : 205;
      expect(book.report(cancel("a"))).toMatchObject({
        refundedCents: -1000,
        commissionReversedCents: status === "rejected" ? 0 : -205,
        commissionAmountCents: restored,
        status: "restored",
        reason: undefined,
        nextCommissionStatus: status,
      });
      expect(book.commission).toMatchObject({ status, amountCents: restored, initialCents: 205 });
    });

    it("a cancellation makes a fully reversed commission pending before the end of its hold period, and approved from the end on", () => {
      const statusAfter = (holdUntil: number) => {
        const book = soldAs({ holdUntil });
        totals([rest("a"), cancel("a")], book);
        return book.commission.status;
      };
      expect(statusAfter(now + 2 * minute)).toBe("approved");
      expect(statusAfter(now + 2 * minute + 1)).toBe("pending");
    });

    it("a cancellation changes the commission's status only if the commission was fully reversed and has an amount again", () => {
      const covered = soldAs();
      totals([rest("a"), rest("b"), cancel("a")], covered);
      expect(covered.commission).toMatchObject({ status: "reversed", amountCents: 0 });
      const partial = soldAs(isOver);
      totals([part("a", 500), cancel("a")], partial);
      expect(partial.commission).toMatchObject({ status: "pending", amountCents: 205 });
    });
  });

  describe("a cancellation after another sale has earned the one_time commission", () => {
    const takenAfter = (reports: readonly RefundReport[], changes: Partial<Commission> = {}): RefundBook => {
      const book = soldAs(changes);
      totals(reports, book);
      book.commission = { ...book.commission, isOneTimeUsed: true };
      return book;
    };

    it("a cancellation after another sale has earned the one_time commission removes the refund, but leaves the refunded sale's commission at 0", () => {
      const book = takenAfter([rest("a")]);
      expect(book.report(cancel("a"))).toMatchObject({
        refundedCents: -1000,
        refundedTotalCents: 0,
        commissionReversedCents: 0,
        commissionAmountCents: 0,
        initialCents: 0,
        status: "restored",
        reason: "one_time_used",
        nextCommissionStatus: "reversed",
      });
    });

    it("a cancellation after another sale has earned the one_time commission leaves the refunded sale's commission at 0, even if the other sale loses it", () => {
      const book = takenAfter([rest("a")]);
      book.report(cancel("a"));
      book.commission = { ...book.commission, isOneTimeUsed: false };
      const nothing = { commissionReversedCents: 0, commissionAmountCents: 0, nextCommissionStatus: "reversed" };
      expect(book.report(part("b", 300))).toMatchObject({ ...nothing, status: "refunded", reason: undefined });
      expect(book.report(cancel("b"))).toMatchObject({ ...nothing, status: "restored", reason: "one_time_used" });
    });

    it("a cancellation after another sale has earned the one_time commission restores a commission that was never fully reversed", () => {
      const book = takenAfter([part("a", 500)]);
      expect(book.report(cancel("a"))).toMatchObject({ commissionReversedCents: -102, reason: undefined });
    });
  });
});
