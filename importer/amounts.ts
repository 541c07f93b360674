import { currencyDigits, decimalText, type UnitDigits } from "./currency.ts";
import { type Reading, read, unread } from "./reading.ts";

export type DecimalSign = "point" | "comma";

const spaces = /[\s\u00A0\u202F'’]/;
const separated = /^\d{1,3}(?:[.,\s\u00A0\u202F'’]\d{3})+$/;
const number = "a number such as 1234.50 or 1.234,50";

export interface AmountOptions {
  readonly currency: string;
  readonly units?: UnitDigits;
  /** The decimal sign of the file. If undefined, it is derived from each cell, as far as the cell shows it. */
  readonly decimalSign: DecimalSign | undefined;
}

/** Reads an amount as a decimal number with a point, without separators of thousands. */
export function readAmount(cell: string, { currency, units, decimalSign }: AmountOptions): Reading<string> {
  const [, sign = "", text = ""] = /^([+\-−]?)\s*(\d.*)$/.exec(withoutCurrency(cell.trim(), currency)) ?? [];
  const digits = currencyDigits(currency, units);
  const at = decimalAt(text, digits, decimalSign);
  if (at === "ambiguous") {
    return unread(`an amount that is clear: ${clearAmounts(digits)}`, "ambiguous_amount");
  }
  const whole = wholeDigits(at === undefined ? text : text.slice(0, at));
  const decimals = at === undefined ? "" : text.slice(at + 1);
  if (whole === undefined || (at !== undefined && !isFraction(text, at))) return unread(number);
  if (decimals.length > digits) return unread(atMost(digits, currency));
  const amount = `${whole.replace(/^0+(?=\d)/, "")}${decimals && `.${decimals}`}`;
  return read(sign === "" || sign === "+" ? amount : `-${amount}`);
}

/** Reads an amount in the smallest unit, which an API calls cents: 1250 is "12.50". */
export function readCents(cell: string, { currency, units }: Omit<AmountOptions, "decimalSign">): Reading<string> {
  const text = cell.trim();
  if (!/^-?\d{1,15}$/.test(text))
    return unread("a whole number of the currency's smallest unit, such as 1250 for 12.50");
  return read(decimalText(Number(text), currency, units));
}

/** Examples of clear amounts. In 1.234, the point could be a decimal sign or separate thousands. */
const clearAmounts = (digits: number): string =>
  digits === 3
    ? "1234.000 or, with the decimal sign of the file, 1.234"
    : `1234.${"0".repeat(digits)} or 1.${"2345".slice(0, digits)}, or the decimal sign of the file`;

const atMost = (digits: number, currency: string): string =>
  digits === 0
    ? `a whole number, because ${currency} has no smaller unit`
    : `at most ${digits} decimals for ${currency}`;

const signs: Readonly<Record<string, string>> = { EUR: "€", USD: "$", GBP: "£", JPY: "¥" };

/**
 * Removes the currency from a cell. A spreadsheet saves an amount as it displays it: "€ 12,50", "USD 12.50", "-$4.90".
 */
function withoutCurrency(text: string, currency: string): string {
  const shown = [currency, signs[currency]].filter((each) => each !== undefined && each !== "");
  const found = shown.find((each) => each !== undefined && text.toUpperCase().includes(each));
  if (found === undefined) return text;
  const at = text.toUpperCase().indexOf(found);
  return `${text.slice(0, at)}${text.slice(at + found.length)}`.trim();
}

/** The position of the decimal sign. Undefined if there is none. */
function decimalAt(text: string, digits: number, chosen: DecimalSign | undefined): number | "ambiguous" | undefined {
  const [points, commas] = [placesOf(text, "."), placesOf(text, ",")];
  const last = Math.max(points.at(-1) ?? -1, commas.at(-1) ?? -1);
  if (last < 0) return undefined;
  if (chosen !== undefined) return (chosen === "point" ? points : commas).at(-1);
  if (points.length > 0 && commas.length > 0) return last;
  if (points.length + commas.length > 1) return undefined;
  const mayBeThousands = separated.test(text) && !/^0/.test(text) && !hasSpaces(text);
  if (!mayBeThousands) return last;
  return digits === 0 ? undefined : "ambiguous";
}

const isFraction = (text: string, at: number): boolean =>
  /^\d+$/.test(text.slice(at + 1)) && text.indexOf(text.charAt(at)) === at;

const hasSpaces = (text: string): boolean => spaces.test(text);

const placesOf = (text: string, sign: string): number[] =>
  Array.from(text).flatMap((character, i) => (character === sign ? [i] : []));

/** The digits of a whole number. Undefined if they aren't in groups of three with one separator. */
function wholeDigits(text: string): string | undefined {
  if (/^\d+$/.test(text)) return text;
  if (!separated.test(text)) return undefined;
  const separators = new Set(text.replace(/\d/g, ""));
  return separators.size === 1 ? text.replace(/\D/g, "") : undefined;
}
