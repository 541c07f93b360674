import type { JSX } from "preact";
import { Money } from "../../components/numbers.tsx";
import type { Decidable } from "./decide.ts";

/** Amounts in different currencies are never added. */
export function sumByCurrency(
  commissions: readonly Decidable[],
): readonly (readonly [currency: string, cents: number])[] {
  const sums = new Map<string, number>();
  for (const { currency, amountCents } of commissions) sums.set(currency, (sums.get(currency) ?? 0) + amountCents);
  return [...sums].sort(([a], [b]) => a.localeCompare(b));
}

export const Totals = ({ of: commissions }: { readonly of: readonly Decidable[] }): JSX.Element => (
  <>
    {sumByCurrency(commissions).map(([currency, cents], i) => (
      <span key={currency}>
        {i > 0 && <span class="soft"> · </span>}
        <Money amountCents={cents} currency={currency} />
      </span>
    ))}
  </>
);
