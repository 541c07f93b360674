import { digitsOf, noUnits, type Units, unitText } from "../units.ts";

/**
 * Formats an amount. The number of decimals follows ISO 4217, because `Intl` sometimes differs. `places` is the number
 * of additional digits. Zeros at their end aren't shown.
 */
function money(units: bigint, currency: string, places: number): string {
  const digits = digitsOf(currency, noUnits);
  const all = digits + places;
  const text = (units < 0n ? -units : units).toString().padStart(all + 1, "0");
  const whole = text.slice(0, text.length - all);
  const decimal = all === 0 ? whole : `${whole}.${text.slice(-all)}`;
  const format = new Intl.NumberFormat("en", {
    style: "currency",
    currency,
    minimumFractionDigits: digits,
    maximumFractionDigits: all,
  });
  return format.format(`${units < 0n ? "-" : ""}${decimal}` as Intl.StringNumericLiteral).replaceAll("\u00a0", " ");
}

/** Formats an amount of a currency or unit, such as "€9.80" or "2 free months". */
export function moneyText(cents: number, currency: string, units: Units): string {
  const unit = units.get(currency);
  return unit === undefined ? money(BigInt(cents), currency, 0) : unitText(cents, unit, "en");
}

/** A share of an amount without rounding: 20.5% of €10.01 is "€2.05205". */
export const shareText = (cents: number, rateBps: number, currency: string): string =>
  money(BigInt(cents) * BigInt(rateBps), currency, 4);

export const percentText = (rateBps: number): string => `${rateBps / 100}%`;

/** Formats a day in the time zone, such as "7 May 2026". */
export const dateText = (at: number, timeZone: string): string =>
  new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "long", year: "numeric", timeZone }).format(at);

/** Invisible characters, and characters that change the direction of a text. */
const unprintable = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;
/** Persian and Hindi words and many emoji contain joiners. Elsewhere, a joiner only hides a difference. */
const notJoining =
  /(?![\u200c\u200d])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]|(?<![\p{L}\p{M}\p{N}\p{S}])[\u200c\u200d]|[\u200c\u200d](?![\p{L}\p{M}\p{S}])/gu;
const rightToLeft = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;

function escaped(text: string, hidden: RegExp): string {
  const visible = text.replace(hidden, (sign) => `\\u{${sign.codePointAt(0)?.toString(16).padStart(4, "0")}}`);
  return rightToLeft.test(visible) ? `\u2068${visible}\u2069` : visible;
}

/** Escapes a text for use within a sentence, so that it can't change how other words are displayed. */
export const freeText = (text: string): string => escaped(text, notJoining);

const inQuotes = (text: string, hidden: RegExp): string => `"${escaped(text.replaceAll(/["\\]/g, "\\$&"), hidden)}"`;

/** An id from a caller, in quotes. Shows each invisible character, because ids that differ in one are different ids. */
export const quoted = (id: string): string => inQuotes(id, unprintable);

/** A text by a person, in quotes. */
export const quotedText = (text: string): string => inQuotes(text, notJoining);

export const countText = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`;

export const sentence = (clause: string): string => `${clause.charAt(0).toUpperCase()}${clause.slice(1)}.`;
