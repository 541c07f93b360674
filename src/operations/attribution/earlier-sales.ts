import {
  type FollowingRefund,
  type FollowingSale,
  maxRefundsAtOnce,
  maxSalesAtOnce,
  nextSaleAlone,
  nextSales,
  type WaitingSale,
} from "../../store/sales.ts";
import type { Read } from "../../store/statement.ts";
import { type Decision, type Gathered, retryWith, type SalesAfter } from "../operation.ts";

/** A customer's sales that follow at once, from a point on, in the order of time. */
export interface EarlierSales {
  readonly step: readonly FollowingSale[];
  /** Of those. */
  readonly refunds: readonly FollowingRefund[];
  readonly hasMore: boolean;
  /** Those behind them that are no renewals and not wholly refunded, the earliest of them. */
  readonly waiting: readonly WaitingSale[];
}

/** From the first sale on. */
export const allSalesOf = (customerId: number): SalesAfter => ({
  customerId,
  afterOccurredAt: Number.MIN_SAFE_INTEGER,
  afterSaleId: 0,
});

/** What an operation reads of them, where a look has shown that they are wanted. */
export const readEarlierSales = (salesOf: SalesAfter | undefined) => ({
  sales: salesOf && pointedAt(salesOf, nextOf(salesOf).sales({ ...salesOf })),
  refunds: salesOf && nextOf(salesOf).refunds({ ...salesOf }),
});

/** The same for one that decides of a sale told now, before which another may have to be paid. */
export const readWaitingSales = (salesOf: SalesAfter | undefined) => ({
  ...readEarlierSales(salesOf),
  behind: salesOf && nextOf(salesOf).behind({ ...salesOf }),
});

const nextOf = ({ isAlone }: SalesAfter) => (isAlone ? nextSaleAlone : nextSales);

type Found = Gathered<ReturnType<typeof readEarlierSales>> &
  Partial<Pick<Gathered<ReturnType<typeof readWaitingSales>>, "behind">>;

/** What a read finds, with the point that it begins at. */
const pointedAt = <T>(of: SalesAfter, read: Read<T>): Read<{ readonly of: SalesAfter; readonly found: T }> => ({
  ...read,
  decode: (rows) => ({ of, found: read.decode(rows) }),
});

/** Those wanted; another look, where nothing was found of them, or something of another customer or another point. */
export function earlierSales(
  { sales, refunds, behind = [] }: Found,
  wanted: SalesAfter,
): EarlierSales | Decision<never> {
  if (sales === undefined || refunds === undefined || !isSamePoint(sales.of, wanted))
    return retryWith({ salesOf: wanted });
  const { of, found } = sales;
  const step = of.isAlone ? found.slice(0, 1) : wholeStep(found, refunds);
  const rest = found.slice(step.length);
  if (step.length === 0 && rest.length > 0) return retryWith({ salesOf: { ...wanted, isAlone: true } });
  return { step, refunds, hasMore: rest.length > 0, waiting: [...oneTimeCandidates(rest), ...behind] };
}

/** Those that are no renewals and not wholly refunded, as far as they tell whether a `one_time` policy could pay them. */
export const oneTimeCandidates = (found: readonly FollowingSale[]): readonly WaitingSale[] =>
  found.map(({ sale }) => sale).filter((sale) => !sale.isRecurring && sale.refundedCents < sale.amountCents);

const isSamePoint = (a: SalesAfter, b: SalesAfter): boolean =>
  a.customerId === b.customerId && a.afterOccurredAt === b.afterOccurredAt && a.afterSaleId === b.afterSaleId;

/** As many as follow at once. Where there are too many refunds, the last sale they were found of is not known whole. */
function wholeStep(found: readonly FollowingSale[], refunds: readonly FollowingRefund[]): readonly FollowingSale[] {
  const step = found.slice(0, maxSalesAtOnce);
  if (refunds.length <= maxRefundsAtOnce) return step;
  const refunded = new Set(refunds.map(({ saleId }) => saleId));
  return step.slice(
    0,
    step.findLastIndex(({ sale }) => refunded.has(sale.id)),
  );
}
