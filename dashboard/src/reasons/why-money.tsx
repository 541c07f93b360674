import type { JSX } from "preact";
import { formatMoney, formatShortMoney } from "../format.ts";
import { useFilters } from "../url.ts";

interface WhyMoneyProps {
  readonly amountCents: number;
  readonly currency: string;
  /** The value of the query parameter `reasons`. */
  readonly of: string;
  /** Names the amount for screen readers. */
  readonly what: string;
  /** A million is a word. */
  readonly isShort?: boolean;
}

/** An amount that opens the drawer with its reasons. The shell shows the drawer of the address. */
export function WhyMoney({ amountCents, currency, of, what, isShort = false }: WhyMoneyProps): JSX.Element {
  const [{ cursor }, setFilters] = useFilters();
  const full = formatMoney(amountCents, currency);
  const shown = isShort ? formatShortMoney(amountCents, currency) : full;
  return (
    <button
      type="button"
      class="why-money figures"
      aria-haspopup="dialog"
      aria-label={`${full}: reasons for ${what}`}
      title={shown === full ? undefined : full}
      onClick={() => setFilters({ reasons: of, cursor })}
    >
      {shown}
    </button>
  );
}
