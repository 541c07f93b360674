import { describe, expect, test } from "vitest";
import { type Candidate, type LineTerms, lineCents, lineChange, proposeLines } from "#domain/payout.ts";

const partner: Candidate = {
  partnerId: 1,
  isPaused: false,
  detailsChangedAt: null,
  lastPaidAt: null,
  paymentId: null,
  needsDetails: false,
  amountCents: 1_000n,
  hasLine: false,
};
const terms: LineTerms = {
  minimumCents: 1,
  partnerIds: undefined,
  includesChangedUntil: 0,
  isByApi: false,
  isFinal: true,
  at: 0,
};
const most = BigInt(Number.MAX_SAFE_INTEGER);

const earning = (...amounts: readonly (number | bigint)[]): readonly Candidate[] =>
  amounts.map((cents, i) => ({ ...partner, partnerId: i + 1, amountCents: BigInt(cents) }));

/** Returns the reason why each candidate is left out, or null if they are paid. */
const reasons = (candidates: readonly Candidate[], changes: Partial<LineTerms> = {}, limit?: number) =>
  proposeLines(candidates, { ...terms, ...changes }, limit).map(({ reason }) => reason);

describe("the limit of lines in a payout", () => {
  test("the limit of lines in a payout leaves out the lines with the smallest amounts", () => {
    expect(reasons(earning(5, 20, 10, 30), {}, 2)).toEqual(["over_limit", null, "over_limit", null]);
  });

  test("the limit of lines in a payout leaves out the partner with the higher id if two lines have the same amount", () => {
    expect(reasons(earning(7, 7, 7), {}, 2)).toEqual([null, null, "over_limit"]);
  });

  test("the limit of lines in a payout doesn't count a partner who is left out for another reason, and keeps that reason", () => {
    const [paused, ...others] = earning(90, -3, 20, 10);
    if (paused === undefined) throw new Error("four partners");
    const candidates = [{ ...paused, isPaused: true }, ...others];
    expect(reasons(candidates, {}, 2)).toEqual(["paused", "negative", null, null]);
    expect(reasons(candidates, { minimumCents: 15 }, 1)).toEqual(["paused", "negative", null, "below_minimum"]);
  });

  test("the limit of lines in a payout is 10,000", () => {
    const found = reasons(earning(...Array.from({ length: 10_001 }, (_, i) => 10_001 - i)));
    expect(found.flatMap((reason, i) => (reason === null ? [] : [i]))).toEqual([10_000]);
    expect(found[10_000]).toBe("over_limit");
  });
});

describe("a payout whose total would exceed the safe integers", () => {
  test("a payout whose total would exceed the safe integers leaves out the lines that are too large, and keeps smaller lines", () => {
    expect(reasons(earning(most - 1_000n, 1_001, 1_000))).toEqual([null, "over_limit", null]);
    expect(reasons(earning(most + 1n, 1_000))).toEqual(["over_limit", null]);
  });
});

describe("a payout line", () => {
  test("a payout line pays everything except what became payable after the cutoff", () => {
    expect(lineCents({ payableCents: 900n, laterCents: 200n })).toBe(700n);
    expect(lineCents({ payableCents: 100n, laterCents: 200n })).toBe(-100n);
  });

  test("a payout line with nothing to pay is listed only if the draft contained the line", () => {
    const nothing = { ...partner, amountCents: 0n };
    expect(reasons([nothing])).toEqual([]);
    expect(reasons([{ ...nothing, hasLine: true }])).toEqual(["below_minimum"]);
  });

  test("a payout line pays a paused partner if the payout was created for selected partners and this partner is one of them", () => {
    const paused = { ...partner, isPaused: true };
    expect(reasons([paused])).toEqual(["paused"]);
    expect(reasons([paused, { ...partner, partnerId: 2 }], { partnerIds: new Set([1]) })).toEqual([null]);
  });
});

describe("a line's reported change between draft and finalization", () => {
  const line = { partnerId: 1, partnerCode: "A", name: "Alice", state: "live", reason: null, amountCents: 5 } as const;

  test.each([
    ["absent for the same amount", { ...line, beforeCents: 5 }, undefined],
    ["absent before the first finalize", { ...line, beforeCents: null }, undefined],
    ["reported for another amount", { ...line, beforeCents: 4 }, [4, 5, "amount_changed"]],
    ["reported for a partner who wasn't in the draft", { ...line, beforeCents: 0 }, [0, 5, "added"]],
    [
      "reported for a partner who is left out",
      { ...line, beforeCents: 4, state: "skipped", reason: "paused" } as const,
      [4, 0, "paused"],
    ],
  ])("a payout line's reported change between draft and finalization is %s", (_, computed, expected) => {
    const change = lineChange(computed);
    expect(change && [change.beforeCents, change.afterCents, change.reason]).toEqual(expected);
  });
});
