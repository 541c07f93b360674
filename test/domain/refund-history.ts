import fc from "fast-check";
import { expect } from "vitest";
import { maxAmountCents } from "#domain/money.ts";
import { decideRefund, type RefundableSale, type RefundDecision } from "#domain/refund.ts";
import { countRefunds, type RefundCall, withRefund } from "#domain/refund-count.ts";

export const now = Date.parse("2026-05-01T12:00:00Z");
export const minute = 60_000;

export type RefundReport = Partial<Omit<RefundCall, "receivedAt">>;
export type Commission = RefundableSale["commission"];

const nothing = { refundId: undefined, asked: "rest", cents: undefined, chargeTotalCents: undefined } as const;

/** A sale of `amountCents` with its refund calls, recorded as the Ledger records them. Calls are one minute apart. */
export class RefundBook {
  readonly recorded: RefundCall[] = [];
  readonly saleCents: number;
  commission: Commission;
  refundedCents = 0;
  /** The sum of the ledger entries of refunds and cancellations. */
  entriesCents = 0;
  #at = now;

  constructor(saleCents: number, commission: Commission) {
    this.saleCents = saleCents;
    this.commission = commission;
  }

  report(report: RefundReport): RefundDecision {
    this.#at += minute;
    const call: RefundCall = { ...nothing, occurredAt: undefined, ...report, receivedAt: this.#at };
    const before = countRefunds(this.saleCents, this.recorded);
    const after = withRefund(before, call);
    const decision = decideRefund(
      { amountCents: this.saleCents, commission: this.commission },
      { before, after },
      call,
      this.#at,
    );
    expect(after).toEqual(countRefunds(this.saleCents, after.calls));
    if (decision.kind === "refund" || (decision.kind === "skipped" && decision.isRecorded)) this.recorded.push(call);
    if (decision.kind !== "refund") return decision;
    this.refundedCents += decision.refundedCents;
    this.entriesCents -= decision.commissionReversedCents;
    this.commission = {
      ...this.commission,
      status: decision.nextCommissionStatus,
      initialCents: decision.initialCents,
      amountCents: decision.commissionAmountCents,
    };
    return decision;
  }
}

const sumOf = (cents: readonly number[]): bigint => cents.reduce((sum, each) => sum + BigInt(each), 0n);

const halfUp = (numerator: bigint, denominator: bigint): bigint => (2n * numerator + denominator) / (2n * denominator);

/** Returns `whole · part / of`, rounded half up. */
export const share = (whole: number, part: number, of: number): number =>
  Number(halfUp(BigInt(whole) * BigInt(part), BigInt(of)));

/** Returns the amount of one refund once all calls about it are known, in the unit of these calls. */
export function amountOf(calls: readonly RefundReport[], saleCents: number): number {
  if (calls.some(({ asked }) => asked === "cancel")) return 0;
  const once = calls.find(({ asked }) => asked === "amount" || asked === "rest");
  if (once !== undefined) return once.asked === "rest" ? saleCents : (once.cents ?? 0);
  const ofKind = (kind: RefundReport["asked"]) => calls.filter(({ asked }) => asked === kind);
  const latest = Math.max(...ofKind("cancel_total").map(({ occurredAt = 0 }) => occurredAt));
  const restored = ofKind("cancel_total").filter(({ occurredAt }) => occurredAt === latest);
  const since = ofKind("total").filter(({ occurredAt = 0 }) => occurredAt > latest);
  const start = restored.length === 0 ? 0 : Math.min(...restored.map(({ cents = 0 }) => cents));
  return Math.max(start, ...since.map(({ cents = 0 }) => cents));
}

/**
 * Returns the refunded amount by the contract, for a history in which every call has a refund id. The order of the
 * calls doesn't matter.
 */
export function refundedBy(calls: readonly RefundReport[], saleCents: number): number {
  const charge = calls.find(({ chargeTotalCents }) => chargeTotalCents !== undefined)?.chargeTotalCents ?? 1;
  const amounts = [...Map.groupBy(calls, ({ refundId }) => refundId).values()].map((ofRefund) => ({
    cents: amountOf(ofRefund, saleCents),
    isScaled: ofRefund.some(({ asked, chargeTotalCents }) => asked !== "rest" && chargeTotalCents !== undefined),
  }));
  const inSale = sumOf(amounts.filter(({ isScaled }) => !isScaled).map(({ cents }) => cents));
  const inCharge = sumOf(amounts.filter(({ isScaled }) => isScaled).map(({ cents }) => cents));
  const refunded = inSale + halfUp(BigInt(saleCents) * inCharge, BigInt(charge));
  return refunded < BigInt(saleCents) ? Number(refunded) : saleCents;
}

export interface History {
  readonly saleCents: number;
  readonly chargeTotalCents: number | undefined;
  readonly calls: readonly RefundReport[];
  /** The calls as delivered: in any order, some more than once. */
  readonly delivered: readonly RefundReport[];
}

const amounts = fc.oneof(fc.integer({ min: 1, max: 20 }), fc.integer({ min: 1, max: maxAmountCents }));

type Refund = readonly RefundReport[];

/**
 * A refund reported once. Amounts in the sale's unit are small, because the service rejects an amount above the
 * remaining one.
 */
function reportedOnce(saleCents: number, chargeTotalCents: number | undefined): fc.Arbitrary<Refund> {
  const rest = { asked: "rest" } as const;
  const inSale = fc.integer({ min: 1, max: Math.ceil(saleCents / 3) });
  const amount = inSale.map((cents): Refund => [{ asked: "amount", cents }]);
  if (chargeTotalCents === undefined) return fc.oneof({ weight: 4, arbitrary: amount }, fc.constant<Refund>([rest]));
  const inCharge = fc.integer({ min: 1, max: Math.ceil(chargeTotalCents / 2) + 2 });
  const scaled = inCharge.map((cents): Refund => [{ asked: "amount", cents, chargeTotalCents }]);
  const rests = fc.constantFrom<Refund>([rest], [{ ...rest, chargeTotalCents }]);
  return fc.oneof({ weight: 4, arbitrary: amount }, { weight: 4, arbitrary: scaled }, rests);
}

/**
 * A refund reported by running totals, which grow or are lowered by a cancellation. Several totals may have the same
 * second.
 */
function reportedByTotals(saleCents: number, chargeTotalCents: number | undefined): fc.Arbitrary<Refund> {
  const unit = chargeTotalCents ?? saleCents;
  const step = fc.record({
    isCancel: fc.integer({ min: 0, max: 2 }).map((of3) => of3 === 2),
    part: fc.nat(Math.ceil(unit / 4)),
    seconds: fc.nat(2),
  });
  const steps = fc.array(step, { minLength: 1, maxLength: 7 });
  // `before` is the amount refunded before the first reported call.
  return fc.tuple(fc.nat(Math.ceil(unit / 8)), steps).map(([before, all]) => {
    let running = before;
    let occurredAt = now;
    return all.map(({ isCancel, part, seconds }): RefundReport => {
      running = isCancel ? Math.max(0, running - part) : running + Math.max(1, part);
      occurredAt += seconds * 1_000;
      return { asked: isCancel ? "cancel_total" : "total", cents: running, chargeTotalCents, occurredAt };
    });
  });
}

function refunds(saleCents: number, chargeTotalCents: number | undefined): fc.Arbitrary<Refund> {
  const kinds = [
    reportedOnce(saleCents, chargeTotalCents),
    reportedByTotals(saleCents, undefined),
    reportedByTotals(saleCents, chargeTotalCents),
  ];
  const isClosed = fc.integer({ min: 0, max: 4 }).map((of5) => of5 === 4);
  const reported = fc
    .tuple(fc.oneof(...kinds), isClosed)
    .map(([calls, closed]): Refund => (closed ? [...calls, { asked: "cancel" }] : calls));
  return fc.oneof({ weight: 9, arbitrary: reported }, fc.constant<Refund>([{ asked: "cancel" }]));
}

/** Histories of calls with refund ids, each with an order of delivery. */
export const histories: fc.Arbitrary<History> = fc
  .tuple(amounts, fc.option(amounts, { nil: undefined }))
  .chain(([saleCents, chargeTotalCents]) =>
    fc.array(refunds(saleCents, chargeTotalCents), { minLength: 1, maxLength: 5 }).chain((all) => {
      const calls = all.flatMap((ofRefund, i) => ofRefund.map((call) => ({ ...call, refundId: `r${i}` })));
      return fc.subarray(calls).chain((again) =>
        fc.shuffledSubarray([...calls, ...again], { minLength: calls.length + again.length }).map((delivered) => ({
          saleCents,
          chargeTotalCents,
          calls,
          delivered,
        })),
      );
    }),
  );

/** Any calls, including contradictory ones. */
export const anyCalls: fc.Arbitrary<readonly RefundReport[]> = fc.array(
  fc
    .record({
      refundId: fc.constantFrom("a", "b", undefined),
      asked: fc.constantFrom("rest", "amount", "total", "total", "cancel", "cancel_total"),
      cents: fc.integer({ min: 1, max: 30 }),
      chargeTotalCents: fc.constantFrom(undefined, 15, 40),
      occurredAt: fc.option(
        fc.nat(6).map((seconds) => now + seconds * 1_000),
        { nil: undefined },
      ),
    })
    .map(({ asked, cents, refundId, ...fields }): RefundReport => {
      if (asked === "rest") return { ...fields, refundId, asked };
      if (asked === "amount" || asked === "total") return { ...fields, refundId, asked, cents };
      const named = { ...fields, refundId: refundId ?? "a", asked } as const;
      return asked === "cancel" ? named : { ...named, cents: cents - 1 };
    }),
  { minLength: 1, maxLength: 12 },
);
