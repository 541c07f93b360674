import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  canAutoApprove,
  commissionFor,
  commissionLeft,
  type EarningSale,
  initialStatus,
  noTerms,
  type Policy,
} from "#domain/commission.ts";
import { maxAmountCents } from "#domain/money.ts";

const at = Date.parse;
const day = 86_400_000;
const now = at("2026-05-01T12:00:00Z");

const percent: Policy = {
  ...noTerms,
  id: 1,
  version: 1,
  partnerId: null,
  type: "percent",
  rateBps: 2000,
  scope: "lifetime",
  holdDays: 15,
  effectiveFrom: now,
};
const flat: Policy = { ...percent, type: "flat", rateBps: null, amountCents: 500, currency: "USD" };

const sale: EarningSale = {
  amountCents: 9999,
  currency: "USD",
  occurredAt: now,
  firstAttributedSaleAt: undefined,
  isRecurring: false,
  isOneTimeTaken: false,
  hasCoupon: false,
  items: [{ itemId: "1", productId: null, amountCents: 9999, quantity: 1 }],
  interval: null,
  partnerActive: true,
  programActive: true,
};

const outcome = (policy: Policy | undefined, changes: Partial<EarningSale> = {}): number | string => {
  const { amountCents } = { ...sale, ...changes };
  const items = [{ itemId: "1", productId: null, amountCents, quantity: 1 }];
  const result = commissionFor(policy, { ...sale, items, ...changes });
  return result.due ? result.amountCents : result.reason;
};

describe("a commission", () => {
  it("a commission is a share of the sale, with half a cent rounded up", () => {
    expect(commissionFor(percent, sale)).toEqual({
      due: true,
      amountCents: 2000,
      policy: percent,
      groups: [{ rule: null, baseCents: 9999, rateBps: 2000, cents: 2000 }],
      uncappedCents: 2000,
      capped: false,
      holdUntil: now + 15 * day,
    });
    expect(outcome({ ...percent, rateBps: 1 }, { amountCents: 4999 })).toBe(0);
    expect(outcome({ ...percent, rateBps: 1 }, { amountCents: 5000 })).toBe(1);
    expect(outcome({ ...percent, rateBps: 1050 }, { amountCents: 1010 })).toBe(106);
  });

  it("a commission is a flat amount regardless of the sale", () => {
    expect(outcome(flat, { amountCents: 1 })).toBe(500);
  });

  it("a commission is capped at the maximum, and marked as capped", () => {
    const capped = { ...percent, currency: "USD", maxCommissionCents: 1999 };
    expect(commissionFor(capped, sale)).toMatchObject({ amountCents: 1999, uncappedCents: 2000, capped: true });
    expect(commissionFor({ ...capped, maxCommissionCents: 2000 }, sale)).toMatchObject({
      amountCents: 2000,
      capped: false,
    });
    expect(outcome({ ...capped, maxCommissionCents: 0 })).toBe(0);
    expect(outcome({ ...flat, maxCommissionCents: 100 })).toBe(100);
  });

  it("a commission isn't earned by a sale below the policy's minimum", () => {
    const least = { ...percent, currency: "USD", minSaleCents: 9999 };
    expect(outcome(least)).toBe(2000);
    expect(outcome(least, { amountCents: 9998 })).toBe("below_minimum");
  });

  it("a policy with only a percentage accepts any currency, and a policy with amounts accepts only the policy's currency", () => {
    expect(outcome({ ...percent, currency: "USD" }, { currency: "EUR" })).toBe(2000);
    expect(outcome(flat, { currency: "EUR" })).toBe("currency_mismatch");
    const named = { ...percent, currency: "USD" };
    expect(outcome({ ...named, minSaleCents: 1 }, { currency: "EUR" })).toBe("currency_mismatch");
    expect(outcome({ ...named, maxCommissionCents: 1 }, { currency: "EUR" })).toBe("currency_mismatch");
  });

  describe("a commission with the scope one_time", () => {
    const oneTime: Policy = { ...percent, scope: "one_time" };

    it("a commission with the scope one_time is paid for one sale of a customer", () => {
      expect(outcome(oneTime)).toBe(2000);
      expect(outcome(oneTime, { isOneTimeTaken: true })).toBe("recurring_not_covered");
    });

    it("a commission with the scope one_time isn't paid for a renewal, even if no sale has earned a commission yet", () => {
      expect(outcome(oneTime, { isRecurring: true })).toBe("recurring_not_covered");
      expect(outcome(oneTime, { isRecurring: true, isOneTimeTaken: true })).toBe("recurring_not_covered");
    });

    it("a commission with the scope one_time is paid for a later sale if no earlier sale has earned a commission", () => {
      expect(outcome(oneTime, { firstAttributedSaleAt: now - 90 * day })).toBe(2000);
    });

    it("a commission with the scope one_time isn't paid for a sale that is older than the paid one but reported later", () => {
      const late = { firstAttributedSaleAt: now, occurredAt: now - 90 * day, isOneTimeTaken: true };
      expect(outcome(oneTime, late)).toBe("recurring_not_covered");
    });

    it("a commission depends on renewals and on earlier commissions only under the scope one_time", () => {
      const renewal = { isRecurring: true, isOneTimeTaken: true, firstAttributedSaleAt: now };
      expect(outcome(percent, renewal)).toBe(2000);
      expect(outcome({ ...percent, scope: "recurring", durationMonths: 1 }, renewal)).toBe(2000);
    });
  });

  it("under the scope recurring, sales earn for whole calendar months after the first sale, up to and including the last instant", () => {
    const oneMonth: Policy = { ...percent, scope: "recurring", durationMonths: 1 };
    const first = at("2026-01-31T10:00:00Z");
    const end = at("2026-02-28T10:00:00Z");
    expect(outcome(oneMonth)).toBe(2000);
    expect(outcome(oneMonth, { firstAttributedSaleAt: first, occurredAt: end })).toBe(2000);
    expect(outcome(oneMonth, { firstAttributedSaleAt: first, occurredAt: end + 1 })).toBe("commission_duration_over");
    expect(outcome(percent, { firstAttributedSaleAt: 0, occurredAt: end })).toBe(2000);
  });

  it("under the scope recurring, a sale that is reported late and happened before the first attributed sale earns a commission", () => {
    const oneMonth: Policy = { ...percent, scope: "recurring", durationMonths: 1 };
    expect(outcome(oneMonth, { firstAttributedSaleAt: now, occurredAt: now - 300 * day })).toBe(2000);
  });

  it("a sale without a commission reports the first reason if there are several", () => {
    const strict: Policy = { ...flat, scope: "one_time", minSaleCents: 10_000 };
    const faults: Partial<EarningSale> = {
      programActive: false,
      partnerActive: false,
      isOneTimeTaken: true,
      currency: "EUR",
    };
    expect(outcome(undefined, faults)).toBe("program_inactive");
    expect(outcome(undefined, { ...faults, programActive: true })).toBe("partner_inactive");
    const active = { ...faults, programActive: true, partnerActive: true };
    expect(outcome(undefined, active)).toBe("no_commission_policy");
    expect(outcome({ ...strict, type: "none" }, active)).toBe("no_commission_policy");
    expect(outcome(strict, active)).toBe("recurring_not_covered");
    expect(outcome(strict, { ...active, isOneTimeTaken: false })).toBe("currency_mismatch");
    const lasting: Policy = { ...strict, scope: "recurring", durationMonths: 1 };
    expect(outcome(lasting, { ...active, firstAttributedSaleAt: 0 })).toBe("commission_duration_over");
    expect(outcome(strict)).toBe("below_minimum");
    expect(commissionFor(strict, sale)).toMatchObject({ due: false, policy: strict });
  });

  it("a commission is within half a cent of the exact percentage, and never above the sale", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: maxAmountCents }), fc.nat(10_000), (amountCents, rateBps) => {
        const earned = outcome({ ...percent, rateBps }, { amountCents });
        const exact = BigInt(amountCents) * BigInt(rateBps);
        const twiceError = 2n * (BigInt(earned) * 10_000n - exact);
        expect(twiceError > -10_000n && twiceError <= 10_000n).toBe(true);
        expect(earned).toBeLessThanOrEqual(amountCents);
      }),
    );
  });
});

describe("commissionLeft", () => {
  const refunded = fc
    .tuple(fc.nat(maxAmountCents), fc.integer({ min: 1, max: maxAmountCents }))
    .chain(([initial, saleCents]) =>
      fc.record({
        initial: fc.constant(initial),
        saleCents: fc.constant(saleCents),
        less: fc.nat(saleCents),
        more: fc.nat(saleCents),
      }),
    );

  it("commissionLeft returns the whole amount before any refund, zero after a full refund, and a share in between", () => {
    fc.assert(
      fc.property(refunded, ({ initial, saleCents, less, more }) => {
        const left = (total: number): number => commissionLeft(initial, saleCents, total);
        expect(left(0)).toBe(initial);
        expect(left(saleCents)).toBe(0);
        expect(left(Math.max(less, more))).toBeLessThanOrEqual(left(Math.min(less, more)));
        expect(left(less)).toBeGreaterThanOrEqual(0);
        expect(left(less)).toBeLessThanOrEqual(initial);
      }),
    );
  });

  it("commissionLeft rounds half a cent up", () => {
    expect(commissionLeft(3, 2, 1)).toBe(2);
    expect(commissionLeft(10, 3, 1)).toBe(7);
    expect(commissionLeft(99_999_999_999, 100_000_000_000, 1)).toBe(99_999_999_998);
  });
});

describe("automatic approval", () => {
  const pending = { status: "pending" as const, holdUntil: now, unconfirmed: false, held: false };

  it("automatic approval waits until the hold period has ended, the evidence is confirmed, and a review has ended", () => {
    expect(canAutoApprove(pending, now)).toBe(true);
    expect(canAutoApprove(pending, now - 1)).toBe(false);
    expect(canAutoApprove({ ...pending, unconfirmed: true }, now)).toBe(false);
    expect(canAutoApprove({ ...pending, held: true }, now)).toBe(false);
  });

  it.each(["approved", "reversed", "rejected", "void"] as const)(
    "automatic approval leaves a commission that is %s unchanged",
    (status) => {
      expect(canAutoApprove({ ...pending, status }, now)).toBe(false);
    },
  );

  it("automatic approval is immediate without a hold period", () => {
    expect(initialStatus(pending, now)).toBe("approved");
    expect(initialStatus({ ...pending, holdUntil: now + 1 }, now)).toBe("pending");
    expect(initialStatus({ ...pending, unconfirmed: true }, now)).toBe("pending");
    expect(initialStatus({ ...pending, held: true }, now)).toBe("pending");
  });
});
