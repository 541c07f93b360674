import { periodOfDay, type TierPeriod } from "#domain/tiers.ts";
import { formatMoney, pluralize } from "../../../format.ts";
import { locale } from "../../../locale.ts";
import { todayIn } from "../../../sale-period.ts";
import type { Bonus } from "./queries.ts";

const monthTitle = new Intl.DateTimeFormat(locale, { month: "long", year: "numeric", timeZone: "UTC" });

/** Formats a period: "October 2026", "Q4 2026" or "2026". */
export function periodTitle(period: string): string {
  const [year = "", part] = period.split("-");
  if (part === undefined) return year;
  return part.startsWith("Q") ? `${part} ${year}` : monthTitle.format(new Date(`${period}-01T00:00:00Z`));
}

type Terms = Pick<Bonus, "metric" | "period" | "threshold" | "salesCurrency" | "amountCents" | "currency">;

/** A number of sales or a revenue: "10 sales" or "€1,000.00 of sales". */
export const salesText = (count: number, { metric, salesCurrency }: Pick<Terms, "metric" | "salesCurrency">): string =>
  metric === "sales" ? pluralize(count, "sale") : `${formatMoney(count, salesCurrency ?? "")} of sales`;

/** Describes a bonus: "€50.00 for 10 sales a month". */
export const termsText = (bonus: Terms): string =>
  `${formatMoney(bonus.amountCents, bonus.currency)} for ${salesText(bonus.threshold, bonus)} a ${bonus.period}`;

/** The periods in which a new bonus can begin, the current one first. */
export function firstPeriods(
  period: TierPeriod,
  timezone: string,
): readonly (readonly [period: string, title: string])[] {
  const today = todayIn(timezone);
  const year = Number(today.slice(0, 4));
  const months = [year, year - 1].flatMap((each) =>
    Array.from({ length: 12 }, (_, i) => `${each}-${String(12 - i).padStart(2, "0")}-01`),
  );
  const periods = new Set(months.filter((day) => day <= today).map((day) => periodOfDay(period, day)));
  return [...periods].map((each) => [each, periodTitle(each)]);
}
