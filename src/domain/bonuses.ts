import type { BonusId } from "./ids.ts";
import { monthsOfPeriod, periodOfDay, type TierMetric, type TierPeriod } from "./tiers.ts";

export const maxAwardsPerCall = 500;

/**
 * An amount that partners get for reaching a number or sum of sales in a period. A bonus can be ended, but not changed.
 */
export interface BonusTerms {
  readonly metric: TierMetric;
  readonly period: TierPeriod;
  /** The number of sales, or their sum in `salesCurrency`. */
  readonly threshold: number;
  /** The program's currency, if the metric is revenue. Otherwise null. */
  readonly salesCurrency: string | null;
  readonly amountCents: number;
  /** A currency, or a unit of the program. */
  readonly currency: string;
}

/** The periods to which a bonus applies. */
export interface BonusTerm {
  readonly period: TierPeriod;
  /** The first period of the bonus, such as "2026-11", "2026-Q4" or "2026". */
  readonly fromPeriod: string;
  /** The last period. Null if the bonus hasn't been ended. */
  readonly untilPeriod: string | null;
}

const forms: Readonly<Record<TierPeriod, RegExp>> = {
  month: /^\d{4}-(0[1-9]|1[0-2])$/,
  quarter: /^\d{4}-Q[1-4]$/,
  year: /^\d{4}$/,
};

export const isPeriodOf = (period: TierPeriod, text: string): boolean => forms[period].test(text);

export const isPeriod = (text: string): boolean => Object.values(forms).some((form) => form.test(text));

/** The last month ("YYYY-MM") of a period. */
export const lastMonthOf = (period: string): string => monthsOfPeriod(period)[1];

export const isPeriodOver = (period: string, today: string): boolean => lastMonthOf(period) < today.slice(0, 7);

export const appliesTo = ({ period, fromPeriod, untilPeriod }: BonusTerm, asked: string): boolean =>
  isPeriodOf(period, asked) && asked >= fromPeriod && (untilPeriod === null || asked <= untilPeriod);

/**
 * True if a bonus may begin with this period: the current one, or an earlier one back to January of the previous year.
 * Before that, monthly sums may lack sales.
 */
export const canBeginWith = (period: TierPeriod, from: string, today: string): boolean =>
  isPeriodOf(period, from) &&
  from <= periodOfDay(period, today) &&
  Number(from.slice(0, 4)) >= Number(today.slice(0, 4)) - 1;

/** The prefix of references that are reserved for the adjustments of bonuses. */
export const bonusReference = "bonus:";

/** The reference of a partner's adjustment for a period. It is unique, so the bonus is paid at most once. */
export const referenceOfBonus = (id: BonusId, period: string): string => `${bonusReference}${id}:${period}`;
