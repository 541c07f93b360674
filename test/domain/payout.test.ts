import { describe, expect, test } from "vitest";
import { type Candidate, type LineTerms, proposeLine, whyLeftOut } from "../../src/domain/payout.ts";

const partner: Candidate = {
  partnerId: 1,
  isPaused: false,
  emailChangedAt: null,
  paidEmailAt: null,
  payableCents: 1_000,
  grossCents: 1_000,
  hasLine: false,
};
const terms: LineTerms = {
  minimumCents: 1,
  totalCents: 0,
  partnerIds: undefined,
  includesChangedUntil: 0,
  isFinal: true,
  at: 0,
};
const most = Number.MAX_SAFE_INTEGER;

describe("a total that is no exact number any more", () => {
  test("leaves out the line that would exceed it, and no smaller one", () => {
    const left = { ...terms, totalCents: most - 1_000 };
    expect(proposeLine(partner, left)?.state).toBe("proposed");
    expect(proposeLine({ ...partner, payableCents: 1_001, grossCents: 1_001 }, left)?.reason).toBe("over_limit");
    expect(whyLeftOut(1_001, left)).toBe("over_limit");
    expect(whyLeftOut(-1, left)).toBe("negative");
  });

  test("leaves out a partner whose entries could exceed it halfway", () => {
    expect(proposeLine({ ...partner, grossCents: most + 1 }, terms)?.reason).toBe("over_limit");
  });
});

test("a partner with nothing to be paid has a line only if the draft had one", () => {
  const nothing = { ...partner, payableCents: 0 };
  expect(proposeLine(nothing, terms)).toBeUndefined();
  expect(proposeLine({ ...nothing, hasLine: true }, terms)?.reason).toBe("below_minimum");
});
