import { currencyCodes } from "#domain/currency.ts";
import { ownTimezone, zoneTitle } from "./format-time.ts";
import { locale } from "./locale.ts";

type Options = readonly (readonly [value: string, label: string])[];

const common = ["USD", "EUR", "GBP", "JPY", "CAD", "AUD", "CHF"];

/** Chromium leaves out the names of these currencies. */
const rareNames: Readonly<Record<string, string>> = {
  SLE: "Sierra Leonean Leone",
  VED: "Venezuelan Digital Bolívar",
  XCG: "Caribbean Guilder",
  ZWG: "Zimbabwe Gold",
};

export function currencyOptions(): Options {
  // Fund codes such as BOV have no name.
  const names = new Intl.DisplayNames(locale, { type: "currency", fallback: "none" });
  const titleOf = (code: string) => [code, names.of(code) ?? rareNames[code]].filter(Boolean).join(" – ");
  const others = currencyCodes().filter((code) => !common.includes(code));
  return [...common, ...others.toSorted()].map((code) => [code, titleOf(code)]);
}

const currencyOfPlace: Readonly<Record<string, string>> = {
  London: "GBP",
  Zurich: "CHF",
  Stockholm: "SEK",
  Oslo: "NOK",
  Copenhagen: "DKK",
  Warsaw: "PLN",
  Prague: "CZK",
  Budapest: "HUF",
  Bucharest: "RON",
  Istanbul: "TRY",
  Tokyo: "JPY",
  Seoul: "KRW",
  Singapore: "SGD",
  Hong_Kong: "HKD",
  Calcutta: "INR",
  Kolkata: "INR",
  Dubai: "AED",
  Toronto: "CAD",
  Vancouver: "CAD",
  Mexico_City: "MXN",
  Sao_Paulo: "BRL",
  Auckland: "NZD",
  Johannesburg: "ZAR",
  Europe: "EUR",
  Australia: "AUD",
};

/** The probable currency of a time zone. It is a guess, since browsers don't know a region's currency. */
export function currencyOfZone(zone = ownTimezone()): string {
  const known =
    zone
      .split("/")
      .reverse()
      .find((part) => part in currencyOfPlace) ?? "";
  return currencyOfPlace[known] ?? "USD";
}

/** Time zones to choose from. Browsers list only one name of a zone with several, so `current` is added. */
export const timezoneOptions = (current = ownTimezone()): Options =>
  [...new Set(["UTC", current, ...Intl.supportedValuesOf("timeZone")])].map((zone) => [zone, zoneTitle(zone)]);
