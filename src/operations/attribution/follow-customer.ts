import { earliest } from "#domain/calendar.ts";
import { countingCoupon, couponsOf } from "#domain/coupons.ts";
import type { CommissionId, SaleId } from "#domain/ids.ts";
import type { PartnerPolicies } from "#domain/policy-in-force.ts";
import { confirmCommission, groundCommission, setCouponSince } from "#store/commissions.ts";
import type { CustomerRow, KnownCustomer } from "#store/customers.ts";
import { endPendingMove, savePendingMove } from "#store/pending-moves.ts";
import { attributeSale, type FollowingSale, type WaitingSale } from "#store/sales.ts";
import type { Program } from "#store/settings.ts";
import type { Write } from "#store/statement.ts";
import type { Deciding } from "../operation.ts";
import { newApproval } from "./approval.ts";
import {
  attributionColumns,
  type ClickCredit,
  type Credit,
  creditExplanation,
  earningOf,
  isOwed,
  type NoCredit,
} from "./commission-for-sale.ts";
import { type CustomerPartner, decidedCredit } from "./customer.ts";
import type { EarlierSales } from "./earlier-sales.ts";
import { type MovedSale, moveSale } from "./move-sale.ts";
import type { SaleWithRefunds } from "./posting.ts";
import { historyAfter, noSales, type SalesHistory, takesPlace } from "./sales-history.ts";

export interface FollowTarget extends Deciding {
  readonly customer: CustomerRow;
  /** Undefined if the sales keep their partner and are only confirmed. */
  readonly credit: Credit | undefined;
  /** Policy versions that may be in force at the sales' instants. */
  readonly policies: PartnerPolicies;
  /** The newest policy version of the program. Later steps of the same reattribution use this version too. */
  readonly policyVersion: number;
  /**
   * True if the partner changes. The sales history is then rebuilt, and includes sales that are already credited to the
   * new partner.
   */
  readonly isReattributing: boolean;
  readonly isPending: boolean;
  /** True if a correction removed the sale whose coupon had attributed the customer. */
  readonly isRebound?: boolean | undefined;
}

export interface SaleTurn {
  readonly occurredAt: number;
  decide(history: SalesHistory): SalesHistory;
}

export interface FollowResult {
  readonly writes: readonly Write[];
  readonly sales: readonly { readonly saleId: SaleId; readonly commissionId: CommissionId }[];
  /** The remaining commission of each reattributed sale, after refunds. */
  readonly owed: readonly Pick<MovedSale, "leftCents" | "currency">[];
  readonly history: SalesHistory;
  /**
   * When the next automatic action is due (ms): the earliest end of a hold that this commit starts, or the next step of
   * the reattribution.
   */
  readonly holdUntil: number | undefined;
}

export type PendingMove = NonNullable<KnownCustomer["movedUpTo"]>;

/** The program with the status that it had at the reattribution. Later pauses don't affect the customer's sales. */
export const programAtMove = (program: Program, { isProgramActive }: PendingMove): Program => ({
  ...program,
  status: isProgramActive ? "active" : "paused",
});

/**
 * The policies at the instant of the reattribution, without later versions. The policies of groups that the partner
 * joined since then don't apply to the customer's sales.
 */
export const policiesAtMove = (policies: PartnerPolicies, move: PendingMove | null): PartnerPolicies => ({
  ...policies,
  versions: policies.versions.filter(({ version }) => move === null || version <= move.policyVersion),
});

export const frozenAtMove = (
  customer: CustomerRow,
  partner: Pick<CustomerPartner, "code" | "risk">,
  move: PendingMove,
  { program, policies }: Pick<FollowTarget, "program" | "policies">,
): Pick<FollowTarget, "credit" | "program" | "policies"> => ({
  credit: decidedCredit(customer, { ...partner, isActive: move.isPartnerActive }),
  program: programAtMove(program, move),
  policies: policiesAtMove(policies, move),
});

/**
 * Sales waiting to be reattributed were recorded before the current sale. One of them may therefore reserve the
 * `one_time` commission (the only one that a policy with scope `one_time` pays for a customer), even if it happened
 * later than the current sale.
 */
export const historyWithPending = (
  history: SalesHistory,
  waiting: readonly WaitingSale[],
  target: Pick<FollowTarget, "credit" | "program" | "policies">,
): SalesHistory => (isOneTimeReserved(waiting, target) ? { ...history, oneTime: "waiting" } : history);

/**
 * Brings the sales of one step in line with the customer's attribution.
 *
 * - Sales that aren't final (see `isFinal`) move to the new partner.
 * - Sales of the same partner are confirmed.
 * - Final sales keep their credit.
 *
 * `own` is a sale that is being recorded now. It is decided together with the others in chronological order.
 */
export function followCustomer(
  earlier: EarlierSales,
  target: FollowTarget,
  before: SalesHistory,
  own?: SaleTurn,
): FollowResult {
  const { at } = target;
  const progress: Progress = { moved: [], confirmed: [], grounded: [] };
  const { moved, confirmed, grounded } = progress;
  const refundsOf = Map.groupBy(earlier.refunds, ({ saleId }) => saleId);
  const turns = earlier.step.map(
    (recorded): SaleTurn => ({
      occurredAt: recorded.sale.occurredAt,
      decide: (history) =>
        followWith({ ...recorded, refunds: refundsOf.get(recorded.sale.id) ?? [] }, history, target, progress),
    }),
  );
  const last = earlier.step.at(-1)?.sale;
  // Prevents a new sale from earning the `one_time` commission that is reserved for an earlier sale, which is still to
  // be reattributed.
  const ownTurn = own && {
    ...own,
    decide: (history: SalesHistory) => {
      const isBehind =
        last !== undefined && own.occurredAt >= last.occurredAt && isOneTimeReserved(earlier.waiting, target);
      return own.decide(isBehind ? { ...history, oneTime: history.oneTime ?? "waiting" } : history);
    },
  };
  const history = chronological(ownTurn === undefined ? turns : [...turns, ownTurn]).reduce(
    (so, turn) => turn.decide(so),
    target.isReattributing ? withPlaceOf(earlier.step, target, before) : before,
  );

  const hasConfirmed = confirmed.length > 0;
  return {
    // The writes are grouped by kind, because the database layer combines statements with the same SQL.
    writes: [
      ...[...moved, ...grounded].map(({ ofSale }) => ofSale),
      ...moved.map(({ ofCommission }) => ofCommission),
      ...grounded.map(({ ofCommission }) => ofCommission),
      ...earlier.step.flatMap((recorded) => restingOn(recorded, target)),
      ...moved.flatMap(({ entries }) => entries),
      ...moved.flatMap(({ ofRefunds }) => ofRefunds),
      ...moved.flatMap(({ endedSignals }) => endedSignals),
      ...moved.flatMap(({ raisedSignals }) => raisedSignals),
      ...writesToConfirm(confirmed, target),
      ...writesForMove(earlier, target),
    ],
    sales: moved.map(({ saleId, commissionId }) => ({ saleId, commissionId })),
    owed: moved.map(({ leftCents, currency }) => ({ leftCents, currency })),
    history,
    holdUntil: earliest(...moved.map(({ holdUntil }) => holdUntil), hasConfirmed || earlier.hasMore ? at : undefined),
  };
}

function writesToConfirm(ids: readonly number[], { context, at }: FollowTarget): Write[] {
  if (ids.length === 0) return [];
  const approval = newApproval(context, at);
  return ids.map((id) => confirmCommission({ id, at, ...approval }));
}

interface Progress {
  readonly moved: MovedSale[];
  readonly confirmed: number[];
  /** Sales that keep their partner but are now credited by a click instead of a coupon. */
  readonly grounded: Pick<MovedSale, "ofSale" | "ofCommission">[];
}

function followWith(
  recorded: SaleWithRefunds,
  history: SalesHistory,
  target: FollowTarget,
  { moved, confirmed, grounded }: Progress,
): SalesHistory {
  const { sale, commission } = recorded;
  const { credit } = target;
  // A corrected sale is fully refunded. Its replacement is reattributed instead.
  if (sale.isReplaced) return history;
  if (isLeft(recorded, target)) {
    moved.push(moveSale(recorded, nobodyFor(sale, target.customer), history, target));
    return withoutPlaceOf(commission, history);
  }
  if (target.customer.partnerId === null) return history;
  if (credit === undefined || commission.partnerId === credit.partnerId) {
    if (commission.isUnconfirmed && credit?.isConfirmed !== false) confirmed.push(commission.id);
    if (credit?.source === "click" && commission.source === "coupon" && !isFinal(recorded)) {
      grounded.push(groundIn(recorded, credit, target.at));
    }
    return countsAnew(commission, target) ? historyAfter(history, sale, commission) : history;
  }
  if (hadIt(commission, credit) || isFinal(recorded) || !isOwed(credit, sale.occurredAt)) return history;
  const following = moveSale(recorded, credit, history, target);
  moved.push(following);
  return historyAfter(history, sale, { id: commission.id, status: following.status });
}

/**
 * Predicts the sales history after later steps have reattributed all sales. The prediction uses only the first few
 * sales.
 */
export function historyAhead(few: readonly FollowingSale[], target: FollowTarget, history: SalesHistory): SalesHistory {
  const { credit } = target;
  if (credit === undefined) return history;
  const isPlaceLeft = few.some((recorded) => recorded.commission.id === history.oneTime && isLeft(recorded, target));
  const before = isPlaceLeft ? { ...history, oneTime: undefined } : history;
  return { ...withPlaceOf(few, target, before), firstAttributedSaleAt: firstToFollow(few, credit) };
}

/**
 * When the customer's first sale with the partner happened (ms), counting sales that are going to be reattributed to
 * the partner.
 */
function firstToFollow(sales: readonly FollowingSale[], credit: Credit): number | undefined {
  const first = sales.find(
    (recorded) =>
      !recorded.sale.isReplaced &&
      isOwed(credit, recorded.sale.occurredAt) &&
      (recorded.commission.partnerId === credit.partnerId ||
        !(hadIt(recorded.commission, credit) || isFinal(recorded))),
  );
  return first?.sale.occurredAt ?? (credit.source === "coupon" ? credit.since : undefined);
}

const countsAnew = ({ partnerId }: FollowingSale["commission"], { isReattributing, customer }: FollowTarget): boolean =>
  isReattributing && partnerId === customer.partnerId;

const withoutPlaceOf = ({ id }: FollowingSale["commission"], history: SalesHistory): SalesHistory =>
  history.oneTime === id ? { ...history, oneTime: undefined } : history;

/**
 * Adds the `one_time` commission to the history if a sale that stays with the partner has it. That sale was decided
 * before the sales that are reattributed now.
 */
function withPlaceOf(step: readonly FollowingSale[], target: FollowTarget, history: SalesHistory): SalesHistory {
  const { credit } = target;
  if (history.oneTime !== undefined || credit === undefined) return history;
  const holder = step.find(
    (recorded) =>
      recorded.commission.partnerId === credit.partnerId &&
      !recorded.sale.isReplaced &&
      !isLeft(recorded, target) &&
      takesPlace(recorded.commission),
  );
  return holder === undefined ? history : { ...history, oneTime: holder.commission.id };
}

/**
 * True if an earlier reattribution already credited the sale to the partner. For a credit by a coupon, also true if an
 * earlier reattribution took the sale away from the partner.
 */
const hadIt = ({ moves }: FollowingSale["commission"], { partnerId, source }: Credit): boolean =>
  moves?.some((move) => move.partnerId === partnerId && (move.amountCents > 0 || source === "coupon")) ?? false;

/**
 * Updates `couponSince` of a commission that stays with the partner, if another sale's coupon now attributes the
 * customer.
 */
function restingOn(recorded: FollowingSale, target: FollowTarget): readonly Write[] {
  const { sale, commission } = recorded;
  const { partnerId, source, since } = target.customer;
  const { id, couponSince } = commission;
  if (sale.isReplaced || isLeft(recorded, target)) return [];
  if (source !== "coupon" || since === null || couponSince === null || commission.partnerId !== partnerId) return [];
  return couponSince < since && sale.occurredAt >= since ? [setCouponSince({ id, since })] : [];
}

/** True if the sale was credited by a coupon that no longer attributes the customer. */
const isLeft = (
  recorded: FollowingSale,
  { customer: { partnerId, source, since }, credit, isRebound = false }: FollowTarget,
): boolean =>
  recorded.commission.source === "coupon" &&
  !isFinal(recorded) &&
  (partnerId === null ||
    (source === "coupon" && since !== null && recorded.sale.occurredAt < since) ||
    (isRebound && credit === undefined));

const nobodyFor = ({ coupons, occurredAt }: FollowingSale["sale"], { firstSaleAt }: CustomerRow): NoCredit => {
  const hasBought = firstSaleAt !== null && firstSaleAt < occurredAt;
  return { reason: hasBought && countingCoupon(couponsOf(coupons)) !== undefined ? "existing_customer" : "no_click" };
};

const groundIn = (
  { sale, commission }: FollowingSale,
  credit: ClickCredit,
  decidedAt: number,
): Progress["grounded"][number] => ({
  ofSale: attributeSale({ id: sale.id, ...attributionColumns(credit) }),
  ofCommission: groundCommission({
    id: commission.id,
    clickId: credit.clickId,
    source: credit.source,
    isUnconfirmed: !credit.isConfirmed,
    ground: JSON.stringify({ decidedAt, ...creditExplanation(credit) }),
  }),
});

/** The position before the customer's first sale. */
const beforeAll = { afterOccurredAt: 0, afterSaleId: 0 };

function writesForMove(
  earlier: EarlierSales,
  { customer, credit, program, policyVersion, at, isPending }: FollowTarget,
): Write[] {
  if (!earlier.hasMore) return isPending ? [endPendingMove({ customerId: customer.id })] : [];
  const last = earlier.step.at(-1)?.sale;
  const cursor = last === undefined ? beforeAll : { afterOccurredAt: last.occurredAt, afterSaleId: last.id };
  const frozen = {
    isPartnerActive: credit?.isPartnerActive ?? true,
    isProgramActive: program.status === "active",
    policyVersion,
  };
  return [savePendingMove({ customerId: customer.id, ...cursor, ...frozen, createdAt: at })];
}

const isOneTimeReserved = (
  waiting: readonly WaitingSale[],
  { credit, program, policies }: Pick<FollowTarget, "credit" | "program" | "policies">,
): boolean =>
  credit !== undefined &&
  waiting.some(
    ({ partnerId, ...sale }) =>
      partnerId !== credit.partnerId &&
      isOwed(credit, sale.occurredAt) &&
      earningOf({ sale: { ...sale, isRecurring: false }, history: noSales, policies }, credit, program).due,
  );

const chronological = (turns: readonly SaleTurn[]): readonly SaleTurn[] =>
  turns.toSorted((a, b) => a.occurredAt - b.occurredAt);

/**
 * True if the sale's commission was approved or rejected, or if a member, an import or a call with a program key
 * decided the sale's partner. All other sales can still move: unattributed ones, and those credited by a browser's
 * report or by a coupon.
 */
const isFinal = ({ commission: { partnerId, status, isUnconfirmed, source, approvedAt } }: FollowingSale): boolean =>
  partnerId !== null &&
  (approvedAt !== null || !(isUnconfirmed || source === "coupon") || !["pending", "void", "reversed"].includes(status));
