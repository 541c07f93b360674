import type { CustomerId, SaleId } from "#domain/ids.ts";
import {
  type FollowingRefund,
  type FollowingSale,
  nextFewSales,
  nextLeastSales,
  nextSaleAlone,
  nextSales,
  type StepSize,
  stepSizes,
  type WaitingSale,
} from "#store/sales.ts";
import { lookUpAll, type Read } from "#store/statement.ts";
import { type Decision, type Gathered, retryWith } from "../operation.ts";

export interface SalesAfter {
  readonly customerId: CustomerId;
  readonly afterOccurredAt: number;
  readonly afterSaleId: SaleId;
  /** Reads only the first sale, because it has too many refunds to be read together with other sales. */
  readonly isAlone?: true;
  /** Reads fewer sales, because the call is about many customers, at most 100 of them. */
  readonly isFew?: true;
  /**
   * Reads a few sales. If the customer has more, this commit reattributes none of them. A pending move (the stored
   * progress of a reattribution) reattributes them later.
   */
  readonly isLeast?: true;
}

/** A further read that `earlierSales` requests, and that `readEarlierSales` or `readWaitingSales` carries out. */
export interface MoreSales {
  readonly salesOf: SalesAfter;
}

export interface MoreSalesOfEach {
  readonly salesOfEach: readonly SalesAfter[];
}

export interface EarlierSales {
  readonly step: readonly FollowingSale[];
  readonly refunds: readonly FollowingRefund[];
  readonly hasMore: boolean;
  readonly waiting: readonly WaitingSale[];
}

export const allSalesOf = (customerId: CustomerId): SalesAfter => ({
  customerId,
  afterOccurredAt: Number.MIN_SAFE_INTEGER,
  afterSaleId: 0,
});

/** Reads a customer's sales for a commit that reattributes only a few or none. */
export const fewestSalesOf = (customerId: CustomerId): SalesAfter => ({ ...allSalesOf(customerId), isLeast: true });

/** Sales at or after `since` (ms). */
export const salesFrom = (customerId: CustomerId, since: number): SalesAfter => ({
  customerId,
  afterOccurredAt: since,
  afterSaleId: 0,
});

export const readEarlierSales = (salesOf: SalesAfter) => ({
  sales: withPosition(salesOf, nextOf(salesOf).sales({ ...salesOf })),
  refunds: nextOf(salesOf).refunds({ ...salesOf }),
});

/**
 * Used by calls that record a sale or a lead. It also reads waiting sales (those still to be reattributed). One of them
 * may have reserved the `one_time` commission: the only one that a policy with scope `one_time` pays for a customer.
 */
export const readWaitingSales = (salesOf: SalesAfter) => ({
  ...readEarlierSales(salesOf),
  behind: nextOf(salesOf).behind({ ...salesOf }),
});

/** Reads the sales of several customers, for a call that confirms their attributions. */
export function readSalesOfEach(each: readonly SalesAfter[] = []) {
  const alone = each.filter(({ isAlone }) => isAlone);
  const few = each.filter(({ isAlone, isFew }) => isFew && !isAlone);
  const others = each.filter(({ isAlone, isFew }) => !isAlone && !isFew);
  return {
    sales: together(others, nextSales.sales),
    refunds: together(others, nextSales.refunds),
    fewSales: together(few, nextFewSales.sales),
    fewRefunds: together(few, nextFewSales.refunds),
    salesAlone: together(alone, nextSaleAlone.sales),
    refundsAlone: together(alone, nextSaleAlone.refunds),
  };
}

const together = <T>(each: readonly SalesAfter[], next: (of: Readonly<Record<AfterKey, number>>) => Read<T>) =>
  lookUpAll(each.map((of) => withPosition(of, next({ ...of }))));
type AfterKey = Exclude<keyof SalesAfter, "isAlone" | "isFew" | "isLeast">;

export function salesOfOne(all: Gathered<ReturnType<typeof readSalesOfEach>>, customerId: CustomerId): FoundSales {
  const { sales = [], refunds = [], fewSales = [], fewRefunds = [], salesAlone = [], refundsAlone = [] } = all;
  const isOfCustomer = ({ of }: { readonly of: SalesAfter }) => of.customerId === customerId;
  return {
    sales: [...salesAlone, ...fewSales, ...sales].find(isOfCustomer),
    refunds: [...refundsAlone, ...fewRefunds, ...refunds].find(isOfCustomer)?.found,
  };
}

function sizeOf({ isFew, isLeast }: SalesAfter): StepSize {
  if (isLeast) return stepSizes.least;
  return isFew ? stepSizes.few : stepSizes.many;
}

function nextOf({ isAlone, isLeast }: SalesAfter) {
  if (isAlone) return nextSaleAlone;
  return isLeast ? nextLeastSales : nextSales;
}

type WaitingSales = Gathered<ReturnType<typeof readWaitingSales>>;
/** A field is undefined until it has been read. */
export type FoundSales = { readonly [Name in keyof WaitingSales]?: WaitingSales[Name] | undefined };

const withPosition = <T>(of: SalesAfter, read: Read<T>): Read<{ readonly of: SalesAfter; readonly found: T }> => ({
  ...read,
  decode: (rows) => ({ of, found: read.decode(rows) }),
});

/**
 * Returns the next sales to reattribute. Requests a read if the sales weren't read yet, or were read for another
 * customer or from another position on.
 */
export function earlierSales(
  { sales, refunds, behind = [] }: FoundSales,
  wanted: SalesAfter,
): EarlierSales | Decision<never, MoreSales> {
  if (sales === undefined || refunds === undefined || !isSamePosition(sales.of, wanted))
    return retryWith({ salesOf: wanted });
  const { of, found } = sales;
  const step = of.isAlone ? found.slice(0, 1) : wholeStep(found, refunds, sizeOf(of));
  const rest = found.slice(step.length);
  if (of.isLeast && rest.length > 0) return { step: [], refunds: [], hasMore: true, waiting: [] };
  if (step.length === 0 && rest.length > 0) return retryWith({ salesOf: { ...wanted, isAlone: true } });
  return { step, refunds, hasMore: rest.length > 0, waiting: [...oneTimeCandidates(rest), ...behind] };
}

/** The instants of the sales. Deciding the sales requires the policies in force at these instants. */
export const instantsOf = ({ step, waiting }: Pick<EarlierSales, "step" | "waiting">): readonly number[] => [
  ...step.map(({ sale }) => sale.occurredAt),
  ...waiting.map(({ occurredAt }) => occurredAt),
];

/** Leaves out renewals, fully refunded sales and corrected sales, which can't earn a `one_time` commission. */
export const oneTimeCandidates = (found: readonly FollowingSale[]): readonly WaitingSale[] =>
  found
    .map(({ sale }) => sale)
    .filter((sale) => !sale.isRecurring && !sale.isReplaced && sale.refundedCents < sale.amountCents);

const isSamePosition = (a: SalesAfter, b: SalesAfter): boolean =>
  a.customerId === b.customerId && a.afterOccurredAt === b.afterOccurredAt && a.afterSaleId === b.afterSaleId;

/**
 * One read returns a limited number of refunds. If there are more, the refunds of the last refunded sale may be
 * incomplete, so the step ends before that sale.
 */
function wholeStep(
  found: readonly FollowingSale[],
  refunds: readonly FollowingRefund[],
  most: StepSize,
): readonly FollowingSale[] {
  const step = found.slice(0, most.sales);
  if (refunds.length <= most.refunds) return step;
  const refunded = new Set(refunds.map(({ saleId }) => saleId));
  return step.slice(
    0,
    step.findLastIndex(({ sale }) => refunded.has(sale.id)),
  );
}
