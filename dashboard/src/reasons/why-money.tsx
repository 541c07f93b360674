import type { JSX } from "preact";
import { formatMoney, formatShortMoney } from "../format.ts";
import { useFilters } from "../url.ts";

interface WhyMoneyProps {
  readonly amountCents: number;
  readonly currency: string;
  /** The value of the query parameter `reasons`. */
  readonly of: string;
  /** The words for the amount, for screen readers. */
  readonly what: string;
  /** True shortens amounts from a million on. */
  readonly isShort?: boolean;
}

/** An amount that opens the drawer with its reasons. The page's shell shows the drawer that the address names. */
export function WhyMoney({ amountCents, currency, of, what, isShort = false }: WhyMoneyProps): JSX.Element {
  const [{ cursor }, setFilters] = useFilters();
  const full = formatMoney(amountCents, currency);
  const shown = isShort ? formatShortMoney(amountCents, currency) : full;
  return (
    <button
      type="button"
      class="why-money figures"
      aria-haspopup="dialog"
      aria-label={`${shown}: reasons for ${what}`}
      title={shown === full ? undefined : full}
      onClick={() => setFilters({ reasons: of, cursor })}
    >
      {shown}
    </button>
  );
}
