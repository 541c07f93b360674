import type { JSX } from "preact";
import { trendOf } from "#domain/performance.ts";
import { formatCount, formatMoney, formatPercent, formatShortMoney } from "../format.ts";

/** An amount in one currency: amounts in different currencies are never added. */
export const Money = ({
  amountCents,
  currency,
}: {
  readonly amountCents: number;
  readonly currency: string;
}): JSX.Element => <span class="figures">{formatMoney(amountCents, currency)}</span>;

/**
 * An amount for places where a large one doesn't fit: it is shortened from a million on, and the tooltip has all
 * digits.
 */
export const ShortMoney = ({
  amountCents,
  currency,
}: {
  readonly amountCents: number;
  readonly currency: string;
}): JSX.Element => {
  const [short, full] = [formatShortMoney(amountCents, currency), formatMoney(amountCents, currency)];
  return (
    <span class="figures" title={short === full ? undefined : full}>
      {short}
    </span>
  );
};

export const Count = ({ of }: { readonly of: number }): JSX.Element => <span class="figures">{formatCount(of)}</span>;

export const Percent = ({ of }: { readonly of: number }): JSX.Element => (
  <span class="figures">{formatPercent(of)}</span>
);

interface TrendProps {
  readonly trend: number;
  readonly trendDirection: "up" | "down" | "stable";
  /** True if a rise is neither good nor bad. */
  readonly isNeutral?: boolean;
}

const directions = {
  up: { sign: "↑", said: "up" },
  down: { sign: "↓", said: "down" },
  stable: { sign: "", said: "unchanged" },
} as const;

/** Percentages above this are shown as ">999%". */
const maxTrend = 999;

export const Trend = ({ trend, trendDirection, isNeutral = false }: TrendProps): JSX.Element => {
  const { sign, said } = directions[trendDirection];
  return (
    <span class={`trend figures ${isNeutral ? "" : trendDirection}`}>
      <span aria-hidden="true">{sign} </span>
      <span class={sign && "unseen"}>{said} </span>
      {trendDirection !== "stable" && (trend > maxTrend ? `>${formatPercent(maxTrend)}` : formatPercent(trend))}
    </span>
  );
};

interface ChangeProps {
  readonly now: number;
  readonly before: number;
  readonly isNeutral?: boolean;
}

/** The change since a previous period, in percent; "New" if the previous value was 0. */
export const Change = ({ now, before, isNeutral = false }: ChangeProps): JSX.Element =>
  before <= 0 && now > 0 ? (
    <span class="trend">New</span>
  ) : (
    <Trend {...trendOf(BigInt(now), BigInt(before))} isNeutral={isNeutral} />
  );
