import type { JSX } from "preact";
import { formatMoney } from "../format.ts";

/** Takes one currency: amounts in different currencies are never added. */
export const Money = ({
  amountCents,
  currency,
}: {
  readonly amountCents: number;
  readonly currency: string;
}): JSX.Element => <span class="figures">{formatMoney(amountCents, currency)}</span>;

const counts = new Intl.NumberFormat();
export const Count = ({ of }: { readonly of: number }): JSX.Element => <span class="figures">{counts.format(of)}</span>;

const percents = new Intl.NumberFormat(undefined, { maximumFractionDigits: 2 });
export const Percent = ({ of }: { readonly of: number }): JSX.Element => (
  <span class="figures">{percents.format(of)}%</span>
);

interface TrendProps {
  readonly trend: number;
  readonly trendDirection: "up" | "down" | "stable";
}

const directions = {
  up: { sign: "↑", said: "up" },
  down: { sign: "↓", said: "down" },
  stable: { sign: "→", said: "unchanged" },
} as const;

export const Trend = ({ trend, trendDirection }: TrendProps): JSX.Element => {
  const { sign, said } = directions[trendDirection];
  return (
    <span class={`trend figures ${trendDirection}`}>
      <span aria-hidden="true">{sign} </span>
      <span class="unseen">{said} </span>
      {trendDirection !== "stable" && `${percents.format(trend)}%`}
    </span>
  );
};
