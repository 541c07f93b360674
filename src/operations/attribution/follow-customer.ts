import { commissionLeft, earning, newestVersion, policyInForce } from "../../domain/commission.ts";
import { replayRefunds } from "../../domain/refund.ts";
import { attributeCommission, type CommissionRow, confirmCommissions, insertEntry } from "../../store/commissions.ts";
import { type CustomerRow, endPendingMove, type KnownCustomer, savePendingMove } from "../../store/customers.ts";
import { attributeRefund, moveRefunds } from "../../store/refunds.ts";
import { attributeSale, type FollowingRefund, type FollowingSale, type WaitingSale } from "../../store/sales.ts";
import type { Program } from "../../store/settings.ts";
import type { Write } from "../../store/statement.ts";
import type { Context } from "../operation.ts";
import {
  attributionColumns,
  type Credit,
  commissionTerms,
  entryOf,
  type Standing,
  standingAfter,
} from "./commission-for-sale.ts";
import { decidedCredit } from "./customer.ts";
import type { EarlierSales } from "./earlier-sales.ts";

/** What the customer's sales follow to. */
export interface Follow {
  readonly customer: CustomerRow;
  /** Undefined: they stay where they are, and are confirmed there. */
  readonly credit: Credit | undefined;
  readonly program: Program;
  readonly at: number;
  /** Whether they go to another partner than before, whose earlier ones count for the new standing. */
  readonly isMoving: boolean;
  /** Whether a record says that some have yet to follow. */
  readonly isPending: boolean;
}

/** A sale that is decided in its turn among those that follow. */
export interface Turn {
  readonly occurredAt: number;
  decide(standing: Standing): Standing;
}

export interface Followed {
  readonly writes: readonly Write[];
  /** Those whose partner changed. */
  readonly sales: readonly { readonly saleId: number; readonly commissionId: number }[];
  readonly standing: Standing;
  /** When the first hold that begins here ends, or the next of them follow (ms). */
  readonly holdUntil: number | undefined;
}

/** The customer's standing among the sales decided so far. */
export const standingOf = (customer: CustomerRow): Standing => ({
  firstAttributedSaleAt: customer.firstAttributedSaleAt ?? undefined,
  oneTime: customer.oneTimeCommissionId ?? undefined,
});

type Move = NonNullable<KnownCustomer["movedUpTo"]>;

/** The program as it was when the customer moved, whatever was paused or set since. */
export const programAtMove = (program: Program, { isProgramActive, policyVersion }: Move): Program => ({
  ...program,
  status: isProgramActive ? "active" : "paused",
  policies: program.policies.filter(({ version }) => policyVersion === null || version <= policyVersion),
});

/** What the rest of a customer's sales follow to: as it was when the customer moved. */
export const frozenAtMove = (
  customer: CustomerRow,
  partnerCode: string,
  move: Move,
  program: Program,
): Pick<Follow, "credit" | "program"> => ({
  credit: decidedCredit(customer, { code: partnerCode, isActive: move.isPartnerActive }),
  program: programAtMove(program, move),
});

/**
 * The same as if all sales had followed already. What waits is as good as a place taken, whenever it happened: it was
 * told before.
 */
export function standingAhead(
  customer: CustomerRow,
  partnerCode: string | null,
  move: Move,
  waiting: readonly WaitingSale[],
  program: Program,
): Standing {
  const then = frozenAtMove(customer, partnerCode ?? "", move, program);
  const standing = standingOf(customer);
  return isPlaceAwaited(waiting, then.credit, then.program) ? { ...standing, oneTime: "waiting" } : standing;
}

/** The columns of a customer that say what their sales mean for the next one. */
export const standingColumns = ({ firstAttributedSaleAt, oneTime }: Standing) => ({
  firstAttributedSaleAt: firstAttributedSaleAt ?? null,
  oneTimeCommissionId: typeof oneTime === "number" ? oneTime : null,
});

/**
 * Brings a customer's sales in line with whom the customer is attributed to: those that rest on no key's evidence move,
 * those of the same partner are confirmed, what is final stays. In the order of time, `own` (a sale told only now) among
 * them; a step of them at a time, and a record of how far they have come.
 */
export function followCustomer(
  { step, refunds, hasMore, waiting }: EarlierSales,
  follow: Follow,
  before: Standing,
  context: Context,
  own?: Turn,
): Followed {
  const { customer, at } = follow;
  const made: MovedSale[] = [];
  const confirmed: number[] = [];
  const moved: { saleId: number; commissionId: number }[] = [];
  const holds: number[] = [];
  const last = step.at(-1)?.sale;
  const refundsOf = Map.groupBy(refunds, ({ saleId }) => saleId);
  const turns = step.map(
    (recorded): Turn => ({
      occurredAt: recorded.sale.occurredAt,
      decide(standing) {
        const { sale, commission } = recorded;
        if (follow.credit === undefined || commission.partnerId === follow.credit.partnerId) {
          if (commission.isUnconfirmed) confirmed.push(commission.id);
          return follow.isMoving ? standingAfter(standing, sale, commission) : standing;
        }
        if (isFinal(recorded)) return standing;
        const own = refundsOf.get(sale.id) ?? [];
        const sold = moveSale(recorded, own, follow.credit, follow, standing, context);
        made.push(sold);
        moved.push({ saleId: sale.id, commissionId: commission.id });
        if (sold.holdUntil !== undefined) holds.push(sold.holdUntil);
        return standingAfter(standing, sale, { id: commission.id, status: sold.status });
      },
    }),
  );
  // A sale told now must not take the place that one of those may have which happened before it and have yet to follow.
  const ownTurn = own && {
    ...own,
    decide: (standing: Standing) => {
      const isBehind =
        last !== undefined &&
        own.occurredAt >= last.occurredAt &&
        isPlaceAwaited(waiting, follow.credit, follow.program);
      return own.decide(isBehind ? { ...standing, oneTime: standing.oneTime ?? "waiting" } : standing);
    },
  };
  const standing = inOrder(ownTurn === undefined ? turns : [...turns, ownTurn]).reduce(
    (so, turn) => turn.decide(so),
    before,
  );

  // Each kind by itself: that way they are sent as one statement.
  const writes: Write[] = [
    ...made.map(({ ofSale }) => ofSale),
    ...made.map(({ ofCommission }) => ofCommission),
    ...made.flatMap(({ entries }) => entries),
    ...made.flatMap(({ ofRefunds }) => ofRefunds),
  ];
  if (confirmed.length > 0) {
    writes.push(confirmCommissions({ ids: JSON.stringify(confirmed), at }));
    holds.push(at);
  }
  if (hasMore && last !== undefined) {
    const cursor = { afterOccurredAt: last.occurredAt, afterSaleId: last.id };
    const frozen = {
      isPartnerActive: follow.credit?.isPartnerActive ?? true,
      isProgramActive: follow.program.status === "active",
      policyVersion: newestVersion(follow.program.policies),
    };
    writes.push(savePendingMove({ customerId: customer.id, ...cursor, ...frozen, createdAt: at }));
    holds.push(at);
  } else if (follow.isPending) {
    writes.push(endPendingMove({ customerId: customer.id }));
  }
  return { writes, sales: moved, standing, holdUntil: holds.length === 0 ? undefined : Math.min(...holds) };
}

/** Whether one of the sales that have yet to follow would earn, and so be the one that a `one_time` policy pays. */
export const isPlaceAwaited = (
  waiting: readonly WaitingSale[],
  credit: Credit | undefined,
  program: Program,
): boolean =>
  credit !== undefined &&
  waiting.some(
    ({ partnerId, amountCents, currency, occurredAt }) =>
      partnerId !== credit.partnerId &&
      earning(policyInForce(program.policies, credit.partnerId, occurredAt), {
        ...{ amountCents, currency, occurredAt, firstAttributedSaleAt: undefined, isRecurring: false },
        ...{ isOneTimeTaken: false, partnerActive: credit.isPartnerActive, programActive: program.status === "active" },
      }).due,
  );

/** Sales of one instant keep their order. */
const inOrder = (turns: readonly Turn[]): readonly Turn[] => turns.toSorted((a, b) => a.occurredAt - b.occurredAt);

/** What a person or a key has decided stays: only what has no partner, or a browser's word for it, moves. */
const isFinal = ({ commission: { partnerId, status, isUnconfirmed } }: FollowingSale): boolean =>
  partnerId !== null && (!isUnconfirmed || !["pending", "void", "reversed"].includes(status));

/** What is written of a sale that moves. */
interface MovedSale {
  readonly ofSale: Write;
  readonly ofCommission: Write;
  readonly entries: readonly Write[];
  readonly ofRefunds: readonly Write[];
  readonly status: CommissionRow["status"];
  readonly holdUntil: number | undefined;
}

/**
 * A sale as if it had always been the new partner's. What it had earned moves by a pair of entries; where it had earned
 * nothing, it is earned now, and refunds made meanwhile follow as reversals with their own days.
 */
function moveSale(
  { sale, commission }: FollowingSale,
  refunds: readonly FollowingRefund[],
  credit: Credit,
  { program, at }: Follow,
  standing: Standing,
  context: Context,
): MovedSale {
  const { partnerId } = credit;
  const wasDue = commission.status !== "void" && commission.partnerId !== null;
  const movedFrom =
    sale.partnerId === null
      ? undefined
      : { partnerId: sale.partnerId, partnerCode: sale.partnerCode, amountCents: commission.amountCents };
  const terms = commissionTerms(sale, credit, program, standing, at, movedFrom);
  const isDue = terms.status !== "void";
  const status = isDue && sale.refundedCents === sale.amountCents ? ("reversed" as const) : terms.status;
  const entries: Write[] = [];
  const ofRefunds: Write[] = [];
  const entry = (
    kind: "earned" | "reversed" | "moved",
    amountCents: number,
    of = partnerId,
    refund?: FollowingRefund,
  ) => {
    const { occurredAt, day } = refund ?? sale;
    const figures = { kind, amountCents, occurredAt, day, ...(refund && { refundId: refund.id }) };
    entries.push(insertEntry(entryOf(sale, commission, of, figures, context)));
  };

  if (wasDue && commission.partnerId !== null) {
    const left = isDue ? commissionLeft(terms.initialCents, sale.amountCents, sale.refundedCents) : 0;
    if (commission.amountCents > 0) entry("moved", -commission.amountCents, commission.partnerId);
    if (left > 0) entry("moved", left);
  } else if (isDue) {
    entry("earned", terms.initialCents);
  }
  if (refunds.length > 0) {
    if (wasDue || !isDue) ofRefunds.push(moveRefunds({ saleId: sale.id, partnerId }));
    else {
      const parts = refunds.map(({ countedCents, refundedCents }) => countedCents ?? refundedCents);
      const replayed = replayRefunds(terms.initialCents, sale.amountCents, parts);
      for (const [i, refund] of refunds.entries()) {
        const { reversedCents = 0, leftCents = 0, isWhole = false } = replayed[i] ?? {};
        const isSaid = refund.status === "no_commission";
        ofRefunds.push(
          attributeRefund({
            id: refund.id,
            partnerId,
            status: isSaid ? (isWhole ? "reversed" : "refunded") : refund.status,
            commissionReversedCents: reversedCents,
            commissionAmountCents: leftCents,
          }),
        );
        if (reversedCents > 0) entry("reversed", -reversedCents, partnerId, refund);
      }
    }
  }
  return {
    ofSale: attributeSale({ id: sale.id, ...attributionColumns(credit) }),
    ofCommission: attributeCommission({ ...terms, id: commission.id, status }),
    entries,
    ofRefunds,
    status,
    holdUntil: status === "pending" ? (terms.holdUntil ?? undefined) : undefined,
  };
}
