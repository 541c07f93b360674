import type { JSX } from "preact";
import { currencyExponent } from "../../../src/domain/currency.ts";

/** An amount in its currency's smallest unit, as people write it. Digits are those of ISO 4217; those of `Intl` differ. */
export function formatMoney(amountCents: number, currency: string): string {
  const digits = currencyExponent(currency) ?? 2;
  const text = String(Math.abs(amountCents)).padStart(digits + 1, "0");
  const units = digits === 0 ? text : `${text.slice(0, -digits)}.${text.slice(-digits)}`;
  const format = new Intl.NumberFormat(undefined, {
    style: "currency",
    currency,
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  });
  return format.format(`${amountCents < 0 ? "-" : ""}${units}` as Intl.StringNumericLiteral);
}

/** An amount. There is none for several currencies: they are never added. */
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
/** Of a number that is percent already. */
export const Percent = ({ of }: { readonly of: number }): JSX.Element => (
  <span class="figures">{percents.format(of)} %</span>
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

/** The change against the period before, in percent. */
export const Trend = ({ trend, trendDirection }: TrendProps): JSX.Element => {
  const { sign, said } = directions[trendDirection];
  return (
    <span class={`trend figures ${trendDirection}`}>
      <span aria-hidden="true">{sign} </span>
      <span class="unseen">{said} </span>
      {trendDirection !== "stable" && `${percents.format(trend)} %`}
    </span>
  );
};
