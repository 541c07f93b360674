import { describe, expect, it } from "vitest";
import { missingCodes, missingFor, type ReasonFacts, reasonClause } from "#domain/explain/missing.ts";
import { reviewReason } from "#domain/review-reason.ts";
import { reviewCodes } from "#domain/risk.ts";
import { sentenceFaults } from "../support/sentence-faults.ts";

const soldAt = Date.parse("2026-05-01T12:00:00Z");
const minute = 60_000;

const reviews = reviewCodes.flatMap((code) =>
  [-5 * minute, -minute, 0, minute, 5 * minute].map((later) =>
    reviewReason(
      {
        code,
        evidence: { occurredAt: soldAt + later, host: "coupons.example" },
        transactionId: "order-1",
        reason: null,
      },
      soldAt,
    ),
  ),
);

const sales = [
  undefined,
  ...[0, 1, 4_900].map((amountCents) => ({ amountCents, currency: "EUR", occurredAt: soldAt })),
];

const facts: readonly ReasonFacts[] = sales.flatMap((sale) =>
  [null, 0, 1, 8, 11, 18, 80].flatMap((clickAgeDays) =>
    [null, 1, 8, 30].flatMap((windowDays) =>
      [undefined, soldAt].flatMap((since) =>
        [false, true].map((hasCoupon) => ({ sale, clickAgeDays, windowDays, since, hasCoupon, timezone: "UTC" })),
      ),
    ),
  ),
);

const every = [...facts, ...reviews.map((review) => ({ reviews: [review] })), { reviews }];

describe("sentences of an explanation", () => {
  it("the sentences of an explanation have no doubled words and the right articles, for each reason and reader", () => {
    const texts = missingCodes.flatMap((code) =>
      every.flatMap((of) => {
        const read = (["integrator", "owner"] as const).map((audience) => missingFor(code, of, audience));
        return [reasonClause(code, of), ...read.flatMap(({ message, remedy }) => [message, remedy])];
      }),
    );
    expect([...new Set(texts)].flatMap(sentenceFaults)).toEqual([]);
  });

  it("the sentences of an explanation contain no API field names in texts for owners", () => {
    const texts = missingCodes.flatMap((code) => every.map((of) => missingFor(code, of, "owner").remedy));
    expect([...new Set(texts)].filter((text) => /[a-z]_[a-z]/.test(text))).toEqual([]);
  });
});

describe("the check for faulty sentences", () => {
  it.each(["Enter a day of the sale of the the sale.", "It is a hour old.", "Use an coupon.", "It took undefined."])(
    "the check for faulty sentences finds the fault in: %s",
    (text) => expect(sentenceFaults(text)).toHaveLength(1),
  );
});
