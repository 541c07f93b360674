import { currencyExponent } from "../currency.ts";

/** Decimals follow ISO 4217, which `Intl` doesn't always. `places` are additional digits, kept unless 0. */
function money(units: bigint, currency: string, places: number): string {
  const digits = currencyExponent(currency) ?? 2;
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

/** "€9.80" from cents. */
export const moneyText = (cents: number, currency: string): string => money(BigInt(cents), currency, 0);

/** A share of an amount, unrounded: "€2.05205" of 20.5% of €10.01. */
export const shareText = (cents: number, rateBps: number, currency: string): string =>
  money(BigInt(cents) * BigInt(rateBps), currency, 4);

export const percentText = (rateBps: number): string => `${rateBps / 100}%`;

/** "7 May 2026", in the time zone. */
export const dateText = (at: number, timeZone: string): string =>
  new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "long", year: "numeric", timeZone }).format(at);

/** Invisible characters, and characters that reverse the direction of a text. */
const unprintable = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;
const rightToLeft = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;

/** A free text within a sentence, which must not affect the other words. */
export function freeText(text: string): string {
  const visible = text.replace(unprintable, (sign) => `\\u{${sign.codePointAt(0)?.toString(16).padStart(4, "0")}}`);
  return rightToLeft.test(visible) ? `\u2068${visible}\u2069` : visible;
}

/** An id or a text that a caller chose, for a sentence. */
export const quoted = (text: string): string => `"${freeText(text.replaceAll(/["\\]/g, "\\$&"))}"`;

export const countText = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`;

export const sentence = (clause: string): string => `${clause.charAt(0).toUpperCase()}${clause.slice(1)}.`;
