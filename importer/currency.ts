/** ISO 4217 codes whose smallest unit isn't a hundredth; a test compares them with the service's. */
const digitsOf: Readonly<Record<string, string>> = {
  "0": "BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF",
  "3": "BHD IQD JOD KWD LYD OMR TND",
  "4": "CLF UYW",
};

const exponents = new Map(
  Object.entries(digitsOf).flatMap(([digits, codes]) =>
    codes.split(" ").map((code) => [code, Number(digits)] as const),
  ),
);

/** The number of decimals of each of the program's units, by the unit's code. Units are used like currencies. */
export type UnitDigits = ReadonlyMap<string, number>;

export const noUnits: UnitDigits = new Map();

/** Decimals of a currency or unit: 2 for EUR, 0 for JPY, 3 for KWD. */
export const currencyDigits = (currency: string, units = noUnits): number =>
  units.get(currency) ?? exponents.get(currency) ?? 2;

/** A scaled number as a decimal: 1250 with 2 digits is "12.50". */
function writeDecimal(scaled: number, digits: number): string {
  const text = String(Math.abs(scaled)).padStart(digits + 1, "0");
  const decimals = digits === 0 ? text : `${text.slice(0, -digits)}.${text.slice(-digits)}`;
  return scaled < 0 ? `-${decimals}` : decimals;
}

/** An amount with the currency's number of decimals, such as "9.80" for 980 cents. */
export const decimalText = (cents: number, currency: string, units = noUnits): string =>
  writeDecimal(cents, currencyDigits(currency, units));

/** An amount in the smallest unit: 980 for "9.80" of EUR. The text is a number that `readAmount` wrote. */
export function centsOf(amount: string, currency: string, units = noUnits): number {
  const [, sign = "", whole = "0", decimals = ""] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(amount) ?? [];
  const cents = Number(`${whole}${decimals.padEnd(currencyDigits(currency, units), "0")}`);
  return sign === "-" ? -cents || 0 : cents;
}
