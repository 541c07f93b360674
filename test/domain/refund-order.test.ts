import fc from "fast-check";
import { expect, it } from "vitest";
import { maxAmountCents } from "#domain/money.ts";
import { replayRefunds } from "#domain/refund.ts";
import { countRefunds } from "#domain/refund-count.ts";
import {
  amountOf,
  anyCalls,
  type Commission,
  histories,
  minute,
  now,
  RefundBook,
  type RefundReport,
  refundedBy,
  share,
} from "./refund-history.ts";

const numRuns = Number(process.env.PROPERTY_RUNS ?? 300);
const total = (parts: readonly number[]): number => parts.reduce((sum, part) => sum + part, 0);

const held = (initialCents: number): Commission => ({
  status: "pending",
  initialCents,
  amountCents: initialCents,
  holdUntil: now + 10_000 * minute,
  unconfirmed: false,
  held: false,
  approvedBy: null,
  isOneTimeUsed: false,
});
const states: readonly ((initialCents: number) => Commission)[] = [
  held,
  (cents) => ({ ...held(cents), status: "approved", approvedBy: "hold", holdUntil: now }),
  (cents) => ({ ...held(cents), status: "approved", approvedBy: "person" }),
  (cents) => ({ ...held(cents), status: "rejected", amountCents: 0 }),
  () => ({ ...held(0), status: "void", holdUntil: null }),
];
const commissions = fc
  .tuple(fc.oneof(fc.nat(20), fc.nat(maxAmountCents)), fc.constantFrom(...states))
  .map(([initialCents, of]) => of(initialCents));

/** Reports one refund, and checks the conditions that hold after each call. */
function reportTo(book: RefundBook, report: RefundReport, before: Commission) {
  const decision = book.report(report);
  const { saleCents, refundedCents, recorded, commission } = book;
  const parts = countRefunds(saleCents, recorded).parts;
  expect(Math.min(...parts, 0)).toBe(0);
  expect(total(parts)).toBe(refundedCents);
  expect(refundedCents).toBeLessThanOrEqual(saleCents);
  if (decision.kind === "refund") {
    expect(decision.refundedTotalCents).toBe(refundedCents);
    if (report.asked === "cancel") expect(decision.refundedCents).toBeLessThanOrEqual(0);
    else if (report.asked !== "cancel_total") expect(decision.refundedCents).toBeGreaterThanOrEqual(0);
  }
  const left = share(before.initialCents, saleCents - refundedCents, saleCents);
  const isOwed = before.status !== "void" && before.status !== "rejected";
  expect(commission.amountCents).toBe(isOwed ? left : 0);
  expect(book.entriesCents).toBe(commission.amountCents - before.amountCents);
  const replayed = replayRefunds(before.initialCents, saleCents, parts).map(({ reversedCents }) => reversedCents);
  expect(Math.min(...replayed, 0)).toBe(0);
  expect(total(replayed)).toBe(before.initialCents - left);
  return decision;
}

it("refunds with ids have the same result in any order and with any repetition", () => {
  fc.assert(
    fc.property(histories, commissions, ({ saleCents, chargeTotalCents, calls, delivered }, commission) => {
      const book = new RefundBook(saleCents, commission);
      for (const report of delivered) {
        const { kind } = reportTo(book, report, commission);
        fc.pre(kind !== "exceeds");
        expect(kind).not.toBe("conflict");
      }

      const refundedCents = refundedBy(calls, saleCents);
      const isReversed = refundedCents === saleCents && ["pending", "approved"].includes(commission.status);
      expect(book.refundedCents).toBe(refundedCents);
      expect(book.commission.status).toBe(isReversed ? "reversed" : commission.status);

      const parts = countRefunds(saleCents, book.recorded).parts;
      for (const [refundId, ofRefund] of Map.groupBy(calls, ({ refundId }) => refundId)) {
        const counted = total(parts.filter((_, i) => book.recorded[i]?.refundId === refundId));
        const amount = amountOf(ofRefund, saleCents);
        if (amount === 0) expect(counted).toBe(0);
        if (chargeTotalCents === undefined && refundedCents < saleCents) expect(counted).toBe(amount);
      }
    }),
    { numRuns },
  );
});

it("a sale's amounts add up after any refund calls, and an immediate repeat of a call with a refund id changes nothing", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 30 }), commissions, anyCalls, (saleCents, commission, calls) => {
      const book = new RefundBook(saleCents, commission);
      for (const report of calls) {
        reportTo(book, report, commission);
        if (report.refundId === undefined) continue;
        const { length } = book.recorded;
        reportTo(book, report, commission);
        expect(book.recorded).toHaveLength(length);
      }
    }),
    { numRuns },
  );
});
