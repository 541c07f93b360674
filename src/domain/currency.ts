/*
 * ISO 4217 codes, grouped by the number of decimal digits of the smallest unit. A test compares them with the package
 * currency-codes. Codes for which the standard gives "N.A." (metals, units of account, tests) are left out. XCG, in
 * force since 2025-03-31, isn't in the package yet.
 */
const codesByDigits: readonly (readonly [digits: number, codes: string])[] = [
  [
    0,
    `
  BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF`,
  ],
  [
    2,
    `
  AED AFN ALL AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BMD BND BOB BOV BRL BSD BTN BWP BYN BZD CAD CDF
  CHE CHF CHW CNY COP COU CRC CUC CUP CVE CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GTQ
  GYD HKD HNL HTG HUF IDR ILS INR IRR JMD KES KGS KHR KPW KYD KZT LAK LBP LKR LRD LSL MAD MDL MGA MKD MMK
  MNT MOP MRU MUR MVR MWK MXN MXV MYR MZN NAD NGN NIO NOK NPR NZD PAB PEN PGK PHP PKR PLN QAR RON RSD RUB
  SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT TOP TRY TTD TWD TZS UAH USD USN
  UYU UZS VED VES WST XCD XCG YER ZAR ZMW ZWG`,
  ],
  [
    3,
    `
  BHD IQD JOD KWD LYD OMR TND`,
  ],
  [
    4,
    `
  CLF UYW`,
  ],
];

let exponents: ReadonlyMap<string, number> | undefined;

function exponentsByCode(): ReadonlyMap<string, number> {
  exponents ??= new Map(
    codesByDigits.flatMap(([digits, codes]) =>
      codes
        .trim()
        .split(/\s+/)
        .map((code) => [code, digits] as const),
    ),
  );
  return exponents;
}

export const isCurrency = (code: string): boolean => exponentsByCode().has(code);

/** The number of decimal digits: 2 for USD, 0 for JPY, 3 for KWD. */
export const currencyExponent = (code: string): number | undefined => exponentsByCode().get(code);

export const currencyCodes = (): readonly string[] => [...exponentsByCode().keys()];

/** Inserts a decimal point: 1250 with 2 digits is "12.50". */
export function writeDecimal(scaled: number, digits: number): string {
  const text = String(Math.abs(scaled)).padStart(digits + 1, "0");
  const decimals = digits === 0 ? text : `${text.slice(0, -digits)}.${text.slice(-digits)}`;
  return scaled < 0 ? `-${decimals}` : decimals;
}
