import type { JSX } from "preact";
import { Money } from "../../components/numbers.tsx";

interface Amount {
  readonly currency: string;
  readonly amountCents: number;
}

/** Adds amounts by currency: amounts in different currencies are never added. */
export function sumByCurrency(amounts: readonly Amount[]): readonly Amount[] {
  const sums = new Map<string, number>();
  for (const { currency, amountCents } of amounts) sums.set(currency, (sums.get(currency) ?? 0) + amountCents);
  return [...sums].sort(([a], [b]) => a.localeCompare(b)).map(([currency, amountCents]) => ({ currency, amountCents }));
}

interface TotalsProps {
  readonly of: readonly Amount[];
  /** The most currencies to show. */
  readonly max?: number;
}

export function Totals({ of: amounts, max = Number.POSITIVE_INFINITY }: TotalsProps): JSX.Element {
  const sums = sumByCurrency(amounts);
  return (
    <>
      {sums.slice(0, max).map(({ currency, amountCents }, i) => (
        <span key={currency}>
          {i > 0 && <span class="soft"> · </span>}
          <Money amountCents={amountCents} currency={currency} />
        </span>
      ))}
      {sums.length > max && <span class="soft"> +{sums.length - max}</span>}
    </>
  );
}
