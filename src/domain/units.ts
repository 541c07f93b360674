import { currencyExponent, isCurrency, writeDecimal } from "./currency.ts";

/** A reward that the program counts like a currency, such as free months. Units never change. */
export interface Unit {
  readonly code: string;
  /** Decimal digits of an amount: with 1, an amount of 15 is 1.5. */
  readonly digits: number;
  /** The word after an amount of 1, such as "free month". */
  readonly one: string;
  /** The word after other amounts, such as "free months". */
  readonly other: string;
}

/** A program's units by code. */
export type Units = ReadonlyMap<string, Unit>;

export const noUnits: Units = new Map();
export const unitsByCode = (units: readonly Unit[]): Units => new Map(units.map((unit) => [unit.code, unit]));

export const maxUnitDigits = 4;
export const maxUnitWord = 40;

/**
 * Only letters, digits, spaces, apostrophes and hyphens are allowed, so that a mail program can't turn a word into a
 * link.
 */
export const isUnitWord = (word: string): boolean => /^[\p{L}\p{M}\p{N}][\p{L}\p{M}\p{N}' ’-]*$/u.test(word);

/** At least four letters, so that a unit's code can't be a currency's. */
export const isUnitCode = (code: string): boolean => /^[A-Z]{4,12}$/.test(code);

/** True for the form of a currency or a unit. Doesn't check that the program has the unit. */
export const isCurrencyOrUnit = (code: string): boolean => isCurrency(code) || isUnitCode(code);

/** Throws if the code is neither a currency nor one of the units, because the number of decimals is unknown then. */
export function digitsOf(code: string, units: Units): number {
  const digits = currencyExponent(code) ?? units.get(code)?.digits;
  if (digits === undefined) throw new Error(`The digits of ${code} aren't known`);
  return digits;
}

/** An amount with its decimals, such as "9.80" for 980 cents. */
export const decimalText = (cents: number, code: string, units: Units): string =>
  writeDecimal(cents, digitsOf(code, units));

/** Formats an amount of a unit, such as "2 free months". Omits decimals that are 0. */
export function unitText(scaled: number, { digits, one, other }: Unit, locale: string): string {
  const format = new Intl.NumberFormat(locale, { maximumFractionDigits: digits });
  const number = format.format(writeDecimal(scaled, digits) as Intl.StringNumericLiteral);
  return `${number} ${Math.abs(scaled) === 10 ** digits ? one : other}`;
}
