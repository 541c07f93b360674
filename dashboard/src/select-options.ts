import { currencyCodes } from "../../src/domain/currency.ts";
import { ownTimezone, zoneTitle } from "./format-time.ts";
import { locale } from "./locale.ts";

type Options = readonly (readonly [value: string, label: string])[];

const common = ["USD", "EUR", "GBP", "JPY", "CAD", "AUD", "CHF"];

export function currencyOptions(): Options {
  const names = new Intl.DisplayNames(locale, { type: "currency" });
  const others = currencyCodes().filter((code) => !common.includes(code));
  return [...common, ...others.toSorted()].map((code) => [code, `${code} – ${names.of(code)}`]);
}

/** Browsers list one name of a zone that has several. */
export const timezoneOptions = (current = ownTimezone()): Options =>
  [...new Set(["UTC", current, ...Intl.supportedValuesOf("timeZone")])].map((zone) => [zone, zoneTitle(zone)]);
