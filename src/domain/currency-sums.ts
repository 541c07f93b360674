type Figures<Name extends string> = Readonly<Record<Name | "commissionCents", number>>;

/** Sums of the sales in one currency whose commissions are in one currency or unit. */
type PairSum<Name extends string> = Figures<Name> & {
  readonly currency: string;
  readonly commissionCurrency: string;
};

type CurrencySum<Name extends string> = Figures<Name> & {
  readonly currency: string;
  /** False if no commission is in this currency. */
  readonly hasCommissions: boolean;
};

/**
 * Adds up sales by the currency of the sale, and commissions by the currency of the commission. `names` are the figures
 * of sales.
 */
export function sumsByCurrency<Name extends string>(
  names: readonly Name[],
  pairs: readonly PairSum<Name>[],
): readonly CurrencySum<Name>[] {
  const codes = new Set(pairs.flatMap(({ currency, commissionCurrency }) => [currency, commissionCurrency]));
  return [...codes].sort().map((currency) => {
    const ofSales = pairs.filter((pair) => pair.currency === currency);
    const earned = pairs.filter((pair) => pair.commissionCurrency === currency);
    const figures = Object.fromEntries([
      ...names.map((name) => [name, sum(ofSales.map((pair) => pair[name]))]),
      ["commissionCents", sum(earned.map(({ commissionCents }) => commissionCents))],
    ]) as Figures<Name>;
    return { ...figures, currency, hasCommissions: earned.length > 0 };
  });
}

const sum = (cents: readonly number[]): number => cents.reduce((total, next) => total + next, 0);
