// Currencies whose smallest unit doesn't have two digits, by ISO 4217. `Intl` isn't used, because its digits come from
// Unicode's CLDR, which leaves out digits that prices rarely show (HUF, COP, IDR, IQD and others).
const exceptions: readonly (readonly [digits: number, currencies: string])[] = [
  [0, "BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF"],
  [3, "BHD IQD JOD KWD LYD OMR TND"],
  [4, "CLF UYW"],
];

/**
 * Returns the number of digits of a currency's smallest unit, by ISO 4217: 2 for EUR and HUF, 0 for JPY, 3 for KWD.
 * Throws a `TypeError` if the text isn't a code of three letters.
 */
export function currencyDigits(currency: string): number {
  if (typeof currency !== "string" || !/^[a-z]{3}$/i.test(currency))
    throw new TypeError("currencyDigits: currency must be an ISO 4217 code");
  return exceptions.find(([, currencies]) => currencies.includes(currency.toUpperCase()))?.[0] ?? 2;
}

/**
 * Converts a price to the currency's smallest unit, in which amounts are reported: 499 for 4.99 USD, 600 for 600 JPY.
 * Rounds half up by the price's own decimals: 1.005 EUR is 101. Throws a `TypeError` unless the price is a finite
 * number that is 0 or more.
 */
export function inSmallestUnit(price: number, currency: string): number {
  const digits = currencyDigits(currency);
  // Uses the price's text, because the floating-point error of price * 100 could change how it is rounded.
  const amount = typeof price === "number" && price >= 0 ? Math.round(Number(scaled(price, digits))) : Number.NaN;
  if (!Number.isSafeInteger(amount)) throw new TypeError("inSmallestUnit: price must be a number from 0 on");
  return amount;
}

/** Returns the text of price × 10^digits. The text of a price below a millionth already has an exponent. */
function scaled(price: number, digits: number): string {
  const [decimal, exponent = 0] = `${price}`.split("e");
  return `${decimal}e${Number(exponent) + digits}`;
}
