import { caps } from "#domain/caps.ts";
import { replayRefunds } from "#domain/refund.ts";
import { type CountedRefunds, countRefunds } from "#domain/refund-count.ts";
import { insertEntry, setCommissionState } from "#store/commissions.ts";
import { setOneTimeCommission } from "#store/customers.ts";
import { copyReason, insertRefund, type PriorRefund } from "#store/refunds.ts";
import { type RecordedSale, setRefundedCents } from "#store/sales.ts";
import type { Write } from "#store/statement.ts";
import { ledgerEntry } from "../attribution/commission-for-sale.ts";
import { type Deciding, type Decision, refuse } from "../operation.ts";
import { oneTimeAfter } from "../track/record-refund.ts";
import type { NewSale } from "../track/record-sale.ts";
import { type RefundCall, refundRow, storedCall } from "../track/refund.ts";

export interface RefundsToRepeat {
  readonly rows: readonly PriorRefund[];
  readonly counted: CountedRefunds;
}

type Amount = Pick<RecordedSale["sale"], "amountCents" | "currency">;

/**
 * Selects the refund calls of the old sale to repeat on the corrected sale, and computes their amounts. Full refunds
 * and refunds of a share of a charge are computed from the new amount. Refunds with a fixed amount must not exceed the
 * new amount.
 */
export function refundsToRepeat(
  prior: readonly PriorRefund[],
  before: Amount,
  after: Amount,
): RefundsToRepeat | Decision<never> {
  const standing = withoutCanceled(prior);
  const isOtherCurrency = after.currency !== before.currency;
  const inCurrency = isOtherCurrency ? namedCents(standing, before) : 0;
  if (inCurrency > 0) {
    return refuse({ code: "refunds_in_other_currency", currency: before.currency, refundedCents: inCurrency });
  }
  const rows = isOtherCurrency ? standing.filter((row) => !isInCents(row)) : standing;
  if (rows.length > caps.repeatedRefunds.max) return refuse({ code: "too_many_to_repeat" });
  const counted = countRefunds(after.amountCents, rows.map(storedCall));
  if (namedCents(uncovered(rows), before) > after.amountCents) {
    return refuse({
      code: "below_refunded",
      refundedCents: countedCents(standing.filter(({ asked }) => asked !== "rest")),
    });
  }
  return { rows, counted };
}

/** For a canceled refund, only the cancellation is repeated. It prevents a later refund with the same id. */
function withoutCanceled(prior: readonly PriorRefund[]): readonly PriorRefund[] {
  const canceled = new Set(prior.filter(({ asked }) => asked === "cancel").map(({ refundId }) => refundId));
  return prior.filter(({ asked, refundId }) => asked === "cancel" || refundId === null || !canceled.has(refundId));
}

const isInCents = ({ asked, chargeTotalCents }: PriorRefund): boolean =>
  asked !== "rest" && asked !== "cancel" && chargeTotalCents === null;

/**
 * The sum of the refunds with a fixed amount in the sale's currency. It includes those that a later full refund covers,
 * because they count again if the full refund is canceled.
 */
const namedCents = (standing: readonly PriorRefund[], { amountCents }: Amount): number =>
  countRefunds(amountCents, standing.filter(isInCents).map(storedCall)).sums.refundedCents;

/** Refunds that were reported before the first full refund. */
function uncovered(rows: readonly PriorRefund[]): readonly PriorRefund[] {
  const first = rows.findIndex(({ asked }) => asked === "rest");
  return first === -1 ? rows : rows.slice(0, first);
}

const countedCents = (rows: readonly PriorRefund[]): number =>
  rows.reduce((sum, { countedCents }) => sum + countedCents, 0);

interface Repeated {
  readonly recorded: RecordedSale;
  readonly writes: readonly Write[];
}

/**
 * Records the refunds again with the same ids, each on its own day. `told` has the values that are the same for all
 * refunds.
 */
export function repeatRefunds(
  told: RefundCall,
  { recorded, customer }: NewSale,
  { rows, counted: { parts, sums } }: RefundsToRepeat,
  deciding: Deciding,
): Repeated {
  const { sale, commission } = recorded;
  const { refundedCents } = sums;
  const replayed = replayRefunds(commission.initialCents, sale.amountCents, parts);
  const repeated = rows.map((row, i) => {
    const { reversedCents = 0, leftCents = 0 } = replayed[i] ?? {};
    const countedCents = parts[i] ?? 0;
    const refundedTotalCents = parts.slice(0, i + 1).reduce((sum, part) => sum + part, 0);
    const effect = {
      refundedCents: countedCents,
      countedCents,
      refundedTotalCents,
      commissionReversedCents: reversedCents,
      commissionAmountCents: leftCents,
      initialCents: commission.initialCents,
      ...outcomeOf(row, { countedCents, isWhole: refundedTotalCents === sale.amountCents }, commission),
      nextCommissionStatus: commission.status,
    };
    return refundRow(callOf(told, row, i), sale, effect, deciding);
  });
  const entries = repeated.flatMap(({ id: refundId, commissionReversedCents, occurredAt, day, partnerId }) =>
    commissionReversedCents === 0 || partnerId === null
      ? []
      : [{ kind: "reversed" as const, amountCents: -commissionReversedCents, partnerId, refundId, occurredAt, day }],
  );
  const isReversed = refundedCents === sale.amountCents && commission.status !== "void";
  const posted = entries.map((entry) => insertEntry(ledgerEntry(commission, entry, deciding.context)));
  const reversal = isReversed
    ? ({ status: "reversed", reversedNumber: deciding.context.newId("ledgerEntries") } as const)
    : {};
  const after = { ...commission, ...reversal, amountCents: replayed.at(-1)?.leftCents ?? commission.amountCents };
  const oneTimeId = oneTimeAfter(customer, recorded, after.status);
  return {
    recorded: { ...recorded, sale: { ...sale, refundedCents }, commission: after },
    writes: [
      ...repeated.map(insertRefund),
      ...(rows.length === 0 ? [] : rows.map(({ id: from }, i) => copyReason({ from, to: repeated[i]?.id ?? from }))),
      ...(refundedCents === 0 ? [] : [setRefundedCents({ id: sale.id, refundedCents })]),
      ...(isReversed ? [setCommissionState(after)] : []),
      ...posted,
      ...(customer === undefined || oneTimeId === customer.oneTimeCommissionId
        ? []
        : [setOneTimeCommission({ id: customer.id, oneTimeCommissionId: oneTimeId })]),
    ],
  };
}

const callOf = (told: RefundCall, row: PriorRefund, i: number): RefundCall => ({
  ...told,
  refundId: row.refundId,
  asked: row.asked,
  cents: row.toldCents,
  chargeTotalCents: row.chargeTotalCents,
  operationId: `${told.operationId} ${i}`,
  at: row.createdAt,
  occurredAt: row.toldAt ?? row.createdAt,
  sentOccurredAt: row.toldAt !== null,
});

function outcomeOf(
  { asked }: PriorRefund,
  { countedCents, isWhole }: { readonly countedCents: number; readonly isWhole: boolean },
  { status }: RecordedSale["commission"],
) {
  const reason = undefined;
  if (asked === "cancel" || asked === "cancel_total") return { status: "restored", reason } as const;
  if (countedCents === 0)
    return { status: "skipped", reason: isWhole ? "already reversed" : "already refunded" } as const;
  if (status === "void") return { status: "no_commission", reason } as const;
  return { status: isWhole ? "reversed" : "refunded", reason } as const;
}
