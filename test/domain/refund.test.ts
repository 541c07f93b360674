import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { CommissionStatus } from "../../src/domain/commission-status.ts";
import { maxAmountCents } from "../../src/domain/money.ts";
import { countRefunds, replayRefunds } from "../../src/domain/refund.ts";
import { type Commission, minute, now, RefundBook, type Telling } from "./refund-history.ts";

const pending: Commission = {
  status: "pending",
  initialCents: 205,
  amountCents: 205,
  holdUntil: now + 10_000 * minute,
  unconfirmed: false,
  approvedBy: null,
  isOneTimeUsed: false,
};
const soldAs = (changes: Partial<Commission> = {}): RefundBook => new RefundBook(1000, { ...pending, ...changes });

const at = (seconds: number): number => now + seconds * 1000;
const part = (refundId: string | undefined, cents: number): Telling => ({ refundId, asked: "amount", cents });
const rest = (refundId?: string): Telling => ({ refundId, asked: "rest" });
const running = (refundId: string | undefined, cents: number, toldAt?: number): Telling => ({
  ...{ refundId, asked: "total", cents, toldAt },
});
const cancel = (refundId: string): Telling => ({ refundId, asked: "cancel" });
const cancelTo = (refundId: string, cents: number, toldAt?: number): Telling => ({
  ...{ refundId, asked: "cancel_total", cents, toldAt },
});
const of = (chargeTotalCents: number, telling: Telling): Telling => ({ ...telling, chargeTotalCents });

const skipped = (reason: string, isRecorded = false) => ({ kind: "skipped", reason, isRecorded });

/** What is refunded after each call, which none may refuse. */
const totals = (tellings: readonly Telling[], book = soldAs()): readonly number[] =>
  tellings.map((telling) => {
    expect(book.tell(telling).kind).toMatch(/^(refund|skipped|duplicate)$/);
    return book.refundedCents;
  });

describe("decideRefund", () => {
  it("takes all that is left where nothing is said", () => {
    expect(soldAs().tell(rest())).toEqual({
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
    book.tell(part("a", 400));
    expect(book.tell(rest("b"))).toMatchObject({ refundedCents: 600, refundedTotalCents: 1000, status: "reversed" });
  });

  it.each(["pending", "approved"] as const)("lowers the commission by a partial refund, and keeps %s", (status) => {
    expect(soldAs({ status }).tell(part(undefined, 500))).toEqual({
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
  });

  it("refuses an amount above what is left, and skips where nothing is", () => {
    const book = soldAs();
    book.tell(part(undefined, 999));
    expect(book.tell(part(undefined, 2))).toEqual({ kind: "exceeds", refundableCents: 1 });
    expect(book.tell(part("a", 2))).toEqual({ kind: "exceeds", refundableCents: 1 });
    expect(book.tell(part(undefined, 1))).toMatchObject({ kind: "refund", status: "reversed" });
    for (const telling of [rest(), part(undefined, 5000), running(undefined, 1000), running(undefined, 5000)]) {
      expect(book.tell(telling)).toEqual(skipped("already reversed"));
    }
  });

  it("counts an amount without an id each time it comes", () => {
    expect(totals([part(undefined, 300), part(undefined, 300), part("a", 300), part("a", 300)])).toEqual([
      300, 600, 900, 900,
    ]);
  });

  describe("of a commission that is", () => {
    it("void: records the refund, and says that there is nothing to reverse", () => {
      const book = soldAs({ status: "void", initialCents: 0, amountCents: 0, holdUntil: null });
      const none = { commissionReversedCents: 0, commissionAmountCents: 0, nextCommissionStatus: "void" };
      expect(book.tell(part("a", 400))).toMatchObject({ ...none, refundedCents: 400, status: "no_commission" });
      expect(book.tell(rest())).toMatchObject({ ...none, refundedCents: 600, status: "no_commission" });
      expect(book.tell(cancel("a"))).toMatchObject({ ...none, refundedCents: 0, status: "restored" });
    });

    it("rejected: records the refund, and reverses 0", () => {
      const book = soldAs({ status: "rejected", amountCents: 0 });
      const none = { commissionReversedCents: 0, commissionAmountCents: 0, nextCommissionStatus: "rejected" };
      expect(book.tell(part("a", 400))).toMatchObject({ ...none, refundedTotalCents: 400, status: "refunded" });
      expect(book.tell(rest())).toMatchObject({ ...none, refundedTotalCents: 1000, status: "reversed" });
    });

    it("paid: reverses it, and leaves it paid", () => {
      expect(soldAs({ status: "paid" }).tell(rest())).toMatchObject({
        commissionReversedCents: 205,
        commissionAmountCents: 0,
        status: "reversed",
        nextCommissionStatus: "paid",
      });
    });
  });
});

describe("a refund told by its amount", () => {
  it.each([
    [part("r", 300), part("r", 300)],
    [rest("r"), rest("r")],
    [of(100, part("r", 30)), of(100, part("r", 30))],
    [of(100, rest("r")), of(100, rest("r"))],
  ])("is skipped when %j comes again, by the place of the first, though nothing is left", (first, again) => {
    const book = soldAs();
    book.tell(part("other", 100));
    book.tell(first);
    expect(book.tell(again)).toEqual({ kind: "duplicate", first: 1 });
    book.tell(rest());
    expect(book.tell(again)).toEqual({ kind: "duplicate", first: 1 });
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
  ])("%j contradicts %j", (first, other, differences) => {
    const book = soldAs();
    book.tell(first);
    expect(book.tell(other)).toEqual({ kind: "conflict", differences });
    book.tell(rest());
    expect(book.tell(other)).toEqual({ kind: "conflict", differences });
  });

  it("may tell the charge's total where another refund did not, and cancel without it", () => {
    const book = soldAs();
    expect(totals([part("a", 300), of(500, part("b", 100)), cancel("b")], book)).toEqual([300, 500, 300]);
  });
});

describe("a refund told by running totals", () => {
  it("adds the difference to what was told of the same id", () => {
    const book = soldAs();
    expect(book.tell(running("ch", 500))).toMatchObject({ refundedCents: 500, refundedTotalCents: 500 });
    expect(book.tell(running("ch", 700))).toMatchObject({ refundedCents: 200, refundedTotalCents: 700 });
    for (const cents of [700, 500, 1]) expect(book.tell(running("ch", cents))).toEqual(skipped("already refunded"));
    expect(book.tell(running("ch", 1001))).toMatchObject({ refundedTotalCents: 1000, status: "reversed" });
    expect(book.tell(running("ch", 1002))).toEqual(skipped("already reversed", true));
  });

  it("adds up with those of other ids, and with amounts", () => {
    expect(totals([running("ch_1", 300), running("ch_2", 200), part("r", 100), running("ch_1", 400)])).toEqual([
      300, 500, 600, 700,
    ]);
  });

  it("says nothing new from before the newest instant told of it", () => {
    const book = soldAs();
    book.tell(running("ch", 300, at(5)));
    expect(book.tell(running("ch", 400, at(4)))).toEqual(skipped("older"));
    expect(book.tell(running("ch", 300, at(4)))).toEqual(skipped("already refunded"));
    expect(book.tell(running("ch", 300, at(5)))).toEqual(skipped("already refunded"));
    expect(book.tell(running("ch", 400, at(5)))).toMatchObject({ refundedCents: 100 });
    expect(book.tell(running("ch", 500))).toMatchObject({ refundedCents: 100 });
    expect(book.tell(running("other", 100, at(1)))).toMatchObject({ refundedCents: 100 });
  });

  it("keeps a newer total that is not above the last, and counts it once a cancel comes in between", () => {
    const book = soldAs();
    book.tell(running("ch", 700, at(1)));
    expect(book.tell(running("ch", 300, at(9)))).toEqual(skipped("already refunded", true));
    expect(book.tell(running("ch", 300, at(9)))).toEqual(skipped("already refunded"));
    expect(book.tell(running("ch", 200, at(8)))).toEqual(skipped("already refunded"));
    expect(book.tell(running("ch", 400, at(9)))).toEqual(skipped("already refunded", true));
    expect(book.tell(cancelTo("ch", 100, at(5)))).toMatchObject({ refundedCents: -300, refundedTotalCents: 400 });
    expect(countRefunds(1000, book.recorded)).toEqual([100, 200, 100, 0]);
  });

  it("keeps none that is not after a cancel", () => {
    const book = soldAs();
    book.tell(cancelTo("ch", 300, at(5)));
    for (const seconds of [4, 5]) {
      expect(book.tell(running("ch", 300, at(seconds)))).toEqual(skipped("already refunded"));
      expect(book.tell(running("ch", 301, at(seconds)))).toEqual(skipped("older"));
    }
    expect(book.recorded).toHaveLength(1);
  });
});

describe("a running total without an id", () => {
  it("is of the sale as a whole: it counts as far as it is above the sum over the ids", () => {
    const book = soldAs();
    expect(totals([part("a", 200), running("ch", 200), running(undefined, 500)], book)).toEqual([200, 400, 500]);
    for (const cents of [1, 400, 500])
      expect(book.tell(running(undefined, cents))).toEqual(skipped("already refunded"));
    expect(totals([part("b", 100), part("c", 100), running(undefined, 700)], book)).toEqual([500, 600, 700]);
    expect(book.tell(running(undefined, 1001))).toMatchObject({ refundedTotalCents: 1000, status: "reversed" });
  });

  it("is covered by amounts without an id as well", () => {
    expect(totals([part(undefined, 400), running(undefined, 500), part(undefined, 50)])).toEqual([400, 500, 500]);
    const book = soldAs();
    book.tell(part(undefined, 400));
    expect(book.tell(running(undefined, 400))).toEqual(skipped("already refunded"));
  });

  it("goes on covering what a cancel takes away", () => {
    expect(totals([part("a", 400), running(undefined, 600), cancel("a")])).toEqual([400, 600, 600]);
  });

  it("is scaled by the charge like any other", () => {
    expect(totals([of(2000, running(undefined, 500)), of(2000, running(undefined, 1100))])).toEqual([250, 550]);
  });
});

describe("a charge's total", () => {
  it.each([
    [
      "above the sale",
      1190,
      [
        [119, 100],
        [119, 200],
        [952, 1000],
      ],
    ],
    [
      "below the sale",
      500,
      [
        [100, 200],
        [1, 202],
        [399, 1000],
      ],
    ],
    [
      "of an odd rate, half up of the sum",
      2000,
      [
        [1, 1],
        [1, 1],
        [1, 2],
        [1, 2],
      ],
    ],
  ] as const)("%s scales what is told in its unit", (_, chargeTotalCents, steps) => {
    const tellings = steps.map(([cents], i) => of(chargeTotalCents, part(`r${i}`, cents)));
    expect(totals(tellings)).toEqual(steps.map(([, refunded]) => refunded));
  });

  it("is rounded once, over all that is told in its unit", () => {
    const thirds = ["a", "b", "c"].map((refundId) => of(3, part(refundId, 1)));
    expect(totals(thirds)).toEqual([333, 667, 1000]);
    expect(totals(thirds, new RefundBook(maxAmountCents, pending)).at(-1)).toBe(maxAmountCents);
  });

  it("adds to what is told in the sale's unit, and ends at the sale", () => {
    expect(totals([part("a", 100), of(500, part("b", 100)), of(500, running("ch", 400)), rest()])).toEqual([
      100, 300, 1000, 1000,
    ]);
    expect(totals([of(500, part("b", 501))])).toEqual([1000]);
    expect(totals([of(500, part("b", 5000))])).toEqual([1000]);
  });

  it("leaves a call without an amount the sale's whole", () => {
    expect(totals([of(500, part("a", 100)), of(500, rest("b")), cancel("a")])).toEqual([200, 1000, 1000]);
    expect(totals([of(500_000, rest())])).toEqual([1000]);
  });

  it("records what is too little to show, for more of it may", () => {
    const book = soldAs();
    const tiny = (refundId: string) => of(1_000_000, part(refundId, 250));
    expect(book.tell(tiny("a"))).toMatchObject({ kind: "refund", refundedCents: 0, status: "refunded" });
    expect(book.tell(tiny("b"))).toMatchObject({ kind: "refund", refundedCents: 1 });
  });
});

describe("a cancel", () => {
  it("takes the refund to 0 and closes its id", () => {
    const book = soldAs();
    book.tell(part("a", 500));
    book.tell(part("b", 100));
    expect(book.tell(cancel("a"))).toEqual({
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
    for (const telling of anything) expect(book.tell(telling)).toEqual(skipped("canceled"));
    expect(book.tell(of(7, part("a", 1)))).toEqual(skipped("canceled"));
    expect(countRefunds(1000, book.recorded)).toEqual([0, 100, 0]);
  });

  it("closes an id told by totals as well", () => {
    expect(totals([running("ch", 300, at(1)), running("ch", 500, at(2)), cancel("ch")])).toEqual([300, 500, 0]);
    expect(totals([cancelTo("ch", 300, at(1)), cancel("ch"), running("ch", 500, at(2))])).toEqual([300, 0, 0]);
  });

  it("of an unknown id is recorded, and closes it", () => {
    const book = soldAs();
    expect(book.tell(cancel("a"))).toMatchObject({
      kind: "refund",
      refundedCents: 0,
      commissionReversedCents: 0,
      status: "restored",
      nextCommissionStatus: "pending",
    });
    expect(book.tell(part("a", 500))).toEqual(skipped("canceled"));
    expect(book.refundedCents).toBe(0);
  });

  it("gives back only what no other refund covers", () => {
    expect(totals([part("a", 400), rest("b"), cancel("a"), cancel("b")])).toEqual([400, 1000, 1000, 0]);
    expect(totals([rest("b"), part("a", 400), cancel("b")])).toEqual([1000, 1000, 400]);
  });

  it("uncovers what came when nothing was left", () => {
    const book = soldAs();
    book.tell(rest("a"));
    expect(book.tell(part("b", 300))).toEqual(skipped("already reversed", true));
    expect(book.tell(running("ch", 200))).toEqual(skipped("already reversed", true));
    expect(book.tell(rest())).toEqual(skipped("already reversed"));
    expect(book.tell(part("b", 300))).toEqual({ kind: "duplicate", first: 1 });
    expect(book.tell(cancel("a"))).toMatchObject({ refundedCents: -500, refundedTotalCents: 500 });
    expect(countRefunds(1000, book.recorded)).toEqual([0, 300, 200, 0]);
  });

  it("with a total takes the id down to it, and leaves it open", () => {
    const book = soldAs();
    const steps = [running("ch", 700, at(1)), cancelTo("ch", 200, at(5)), running("ch", 300, at(6))];
    expect(totals(steps, book)).toEqual([700, 200, 300]);
    expect(book.tell(cancelTo("ch", 200, at(5)))).toEqual(skipped("canceled"));
    expect(book.tell(cancelTo("ch", 200))).toEqual(skipped("canceled"));
    expect(book.tell(running("ch", 700, at(4)))).toEqual(skipped("older"));
    expect(book.tell(cancelTo("ch", 0, at(7)))).toMatchObject({ refundedCents: -300, status: "restored" });
    expect(countRefunds(1000, book.recorded)).toEqual([0, 0, 0, 0]);
  });

  it("with a total takes from the newest first", () => {
    const book = soldAs();
    const steps = [running("ch", 300, at(1)), running("ch", 500, at(2)), cancelTo("ch", 400, at(3))];
    expect(totals(steps, book)).toEqual([300, 500, 400]);
    expect(countRefunds(1000, book.recorded)).toEqual([300, 100, 0]);
  });

  it("with a total sets an unknown id to it", () => {
    const book = soldAs();
    expect(book.tell(cancelTo("ch", 300, at(5)))).toMatchObject({
      refundedCents: 300,
      commissionReversedCents: 61,
      status: "restored",
    });
    expect(totals([running("ch", 700, at(4)), running("ch", 400, at(6))], book)).toEqual([300, 400]);
  });

  it("with a total holds up to its own instant, whenever it comes", () => {
    const late = [running("ch", 700, at(1)), running("ch", 800, at(9)), cancelTo("ch", 200, at(5))];
    expect(totals(late)).toEqual([700, 800, 800]);
    const cancels = [running("ch", 700, at(1)), cancelTo("ch", 0, at(9)), cancelTo("ch", 300, at(5))];
    expect(totals(cancels)).toEqual([700, 0, 0]);
  });

  it("with a total that was told before counts again at a later instant", () => {
    const again = [running("ch", 500, at(6)), cancelTo("ch", 200, at(7))];
    expect(totals([cancelTo("ch", 200, at(5)), ...again])).toEqual([200, 500, 200]);
  });

  it("with a total, the lowest of several at one instant, is the last", () => {
    const both = [cancelTo("ch", 300, at(5)), cancelTo("ch", 100, at(5))];
    expect(totals([running("ch", 700, at(5)), ...both])).toEqual([700, 300, 100]);
    expect(totals([...both.reverse(), running("ch", 700, at(5))])).toEqual([100, 100, 100]);
  });

  it("without an instant holds up to when it came", () => {
    const book = soldAs();
    expect(totals([running("ch", 700, at(1)), cancelTo("ch", 200)], book)).toEqual([700, 200]);
    expect(book.tell(running("ch", 800, now + 2 * minute))).toEqual(skipped("older"));
    expect(book.tell(running("ch", 400, now + 2 * minute + 1))).toMatchObject({ refundedTotalCents: 400 });
  });

  it("lets a total without an instant count only above the highest ever told", () => {
    const book = soldAs();
    book.tell(running("ch", 700));
    book.tell(cancelTo("ch", 200));
    expect(book.tell(running("ch", 300))).toEqual(skipped("already refunded"));
    expect(book.tell(running("ch", 700))).toEqual(skipped("already refunded"));
    expect(book.tell(running("ch", 701))).toMatchObject({ refundedCents: 501, refundedTotalCents: 701 });
    expect(book.tell(running("ch", 701))).toEqual(skipped("already refunded"));
  });

  it("falls in the charge's unit where the total is in it", () => {
    expect(totals([of(2000, running("ch", 1000, at(1))), of(2000, cancelTo("ch", 300, at(2)))])).toEqual([500, 150]);
  });

  describe("restores the state of a commission that was wholly reversed", () => {
    const isOver: Partial<Commission> = { holdUntil: now };
    it.each<[string, Partial<Commission>, CommissionStatus]>([
      ["while its hold lasts", {}, "pending"],
      ["once its hold is over", isOver, "approved"],
      ["once its hold is over, unconfirmed", { ...isOver, unconfirmed: true }, "pending"],
      ["that a hold had approved", { ...isOver, status: "approved", approvedBy: "hold" }, "approved"],
      ["that a person had approved before its hold was over", { status: "approved", approvedBy: "person" }, "approved"],
      ["that was paid", { status: "paid", approvedBy: "person" }, "paid"],
      ["that was rejected", { status: "rejected", amountCents: 0 }, "rejected"],
    ])("%s", (_, changes, status) => {
      const book = soldAs(changes);
      book.tell(rest("a"));
      expect(book.commission).toMatchObject({ amountCents: 0 });
      const restored = status === "rejected" ? 0 : 205;
      expect(book.tell(cancel("a"))).toMatchObject({
        refundedCents: -1000,
        commissionReversedCents: status === "rejected" ? 0 : -205,
        commissionAmountCents: restored,
        status: "restored",
        reason: undefined,
        nextCommissionStatus: status,
      });
      expect(book.commission).toMatchObject({ status, amountCents: restored, initialCents: 205 });
    });

    it("to the very instant at which its hold is over", () => {
      const statusAfter = (holdUntil: number) => {
        const book = soldAs({ holdUntil });
        totals([rest("a"), cancel("a")], book);
        return book.commission.status;
      };
      expect(statusAfter(now + 2 * minute)).toBe("approved");
      expect(statusAfter(now + 2 * minute + 1)).toBe("pending");
    });

    it("only where something is left again, and none that was not reversed", () => {
      const covered = soldAs();
      totals([rest("a"), rest("b"), cancel("a")], covered);
      expect(covered.commission).toMatchObject({ status: "reversed", amountCents: 0 });
      const partial = soldAs(isOver);
      totals([part("a", 500), cancel("a")], partial);
      expect(partial.commission).toMatchObject({ status: "pending", amountCents: 205 });
    });
  });

  describe("where another sale took the place of a one_time commission", () => {
    const takenAfter = (tellings: readonly Telling[], changes: Partial<Commission> = {}): RefundBook => {
      const book = soldAs(changes);
      totals(tellings, book);
      book.commission = { ...book.commission, isOneTimeUsed: true };
      return book;
    };

    it("restores nothing, and counts it as 0 from then on", () => {
      const book = takenAfter([rest("a")]);
      expect(book.tell(cancel("a"))).toMatchObject({
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

    it("goes on so though the place is free again", () => {
      const book = takenAfter([rest("a")]);
      book.tell(cancel("a"));
      book.commission = { ...book.commission, isOneTimeUsed: false };
      const nothing = { commissionReversedCents: 0, commissionAmountCents: 0, nextCommissionStatus: "reversed" };
      expect(book.tell(part("b", 300))).toMatchObject({ ...nothing, status: "refunded", reason: undefined });
      expect(book.tell(cancel("b"))).toMatchObject({ ...nothing, status: "restored", reason: "one_time_used" });
    });

    it("restores one that was never wholly reversed", () => {
      const book = takenAfter([part("a", 500)]);
      expect(book.tell(cancel("a"))).toMatchObject({ commissionReversedCents: -102, reason: undefined });
    });

    it("restores one that is paid", () => {
      const book = takenAfter([rest("a")], { status: "paid" });
      expect(book.tell(cancel("a"))).toMatchObject({
        commissionReversedCents: -205,
        reason: undefined,
        nextCommissionStatus: "paid",
      });
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
      cuts: fc
        .uniqueArray(fc.integer({ min: 1, max: made.amountCents }), { maxLength: 20 })
        .map((cuts) => [...new Set([...cuts, made.amountCents])].sort((a, b) => a - b)),
      by: fc.constantFrom("amount", "total", "total of one id"),
    }),
  );

it("refunds that add up to the sale reverse the commission to exactly 0, however it is split", () => {
  fc.assert(
    fc.property(splitSale, ({ made: { amountCents, initialCents, status }, cuts, by }) => {
      const book = new RefundBook(amountCents, { ...pending, status, initialCents, amountCents: initialCents });
      const reversals: number[] = [];
      for (const cut of cuts) {
        const id = by === "total" ? undefined : "ch";
        const decision = book.tell(by === "amount" ? part(undefined, cut - book.refundedCents) : running(id, cut));
        if (decision.kind !== "refund") throw new Error(decision.kind);
        expect(decision.commissionReversedCents).toBeGreaterThanOrEqual(0);
        expect(decision.status).toBe(cut === amountCents ? "reversed" : "refunded");
        reversals.push(decision.commissionReversedCents);
      }
      expect(book.commission).toMatchObject({ amountCents: 0, status: status === "paid" ? "paid" : "reversed" });
      expect(reversals.reduce((sum, reversed) => sum + reversed, 0)).toBe(initialCents);
      const replayed = replayRefunds(initialCents, amountCents, countRefunds(amountCents, book.recorded));
      expect(replayed.map(({ reversedCents }) => reversedCents)).toEqual(reversals);
    }),
  );
});

describe("countRefunds", () => {
  it("counts nothing of nothing", () => {
    expect(countRefunds(1000, [])).toEqual([]);
  });

  it("gives each call its part, in the order they were recorded, and those beyond the sale what is left", () => {
    const book = soldAs();
    totals([part("a", 300), running("ch", 600), rest("b"), running("ch", 800), part("c", 1)], book);
    expect(countRefunds(1000, book.recorded)).toEqual([300, 600, 100, 0, 0]);
  });
});

describe("replayRefunds", () => {
  const reversed = (...args: Parameters<typeof replayRefunds>) =>
    replayRefunds(...args).map(({ reversedCents }) => reversedCents);

  it("gives each refund its own reversal", () => {
    expect(reversed(10, 3, [1, 1, 1])).toEqual([3, 4, 3]);
    expect(reversed(205, 1000, [500])).toEqual([102]);
    expect(reversed(205, 1000, [])).toEqual([]);
  });

  it("says what is left after each, and where that is nothing", () => {
    expect(replayRefunds(10, 3, [1, 0, 2, 0])).toEqual([
      { reversedCents: 3, leftCents: 7, isWhole: false },
      { reversedCents: 0, leftCents: 7, isWhole: false },
      { reversedCents: 7, leftCents: 0, isWhole: true },
      { reversedCents: 0, leftCents: 0, isWhole: true },
    ]);
    expect(replayRefunds(0, 3, [1])).toEqual([{ reversedCents: 0, leftCents: 0, isWhole: false }]);
  });
});
