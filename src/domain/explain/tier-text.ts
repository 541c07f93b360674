import { dayIn } from "../calendar.ts";
import type { AppliedStep } from "../tiers.ts";
import { noUnits } from "../units.ts";
import { countText, moneyText, percentText } from "./text.ts";

const ordinals = new Intl.PluralRules("en", { type: "ordinal" });
const suffixes: Partial<Record<Intl.LDMLPluralRule, string>> = { one: "st", two: "nd", few: "rd" };
const ordinalText = (number: number): string => `${number}${suffixes[ordinals.select(number)] ?? "th"}`;

const quarters = ["first", "second", "third", "fourth"];

const monthName = (month: string): string =>
  new Intl.DateTimeFormat("en", { month: "long", timeZone: "UTC" }).format(Date.parse(`${month}-01T00:00:00Z`));

/** Formats a period: "November", "the fourth quarter of 2026" or "2026". */
export function periodText(period: string): string {
  const [year = "", part] = period.split("-");
  if (part === undefined) return year;
  return part.startsWith("Q") ? `the ${quarters[Number(part.slice(1)) - 1]} quarter of ${year}` : monthName(period);
}

/** Formats a day: "the 14th" if the sentence already names the month, otherwise "14 November". */
function dayText(day: string, period: string): string {
  const [year = "", , date] = day.split("-");
  if (day.slice(0, 7) === period) return `the ${ordinalText(Number(date))}`;
  const named = `${Number(date)} ${monthName(day.slice(0, 7))}`;
  return period.startsWith(year) ? named : `${named} ${year}`;
}

interface Written {
  /** The currency of the program's sales. */
  readonly currency: string;
  /** Formats an amount of the commission. */
  readonly money: (amount: number) => string;
  readonly timezone: string;
}

/** Describes the step that decided a sale: "25%: 10 sales in November, reached on the 14th". */
export function tierText(tier: AppliedStep, { currency, money, timezone }: Written): string {
  const { metric, period, count, at, rateBps, amountCents } = tier;
  const rate = rateBps === undefined ? money(amountCents ?? 0) : percentText(rateBps);
  const reached =
    metric === "sales" ? countText(count, "sale") : `${moneyText(count, tier.currency ?? currency, noUnits)} of sales`;
  return `${rate}: ${reached} in ${periodText(period)}, reached on ${dayText(dayIn(timezone, at), period)}`;
}
