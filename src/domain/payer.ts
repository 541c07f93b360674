/** The account from which a program pays its partners. */
export interface Payer {
  readonly name: string;
  /** Without spaces, in upper case. */
  readonly iban: string;
  readonly bic: string | null;
}

/** Normalizes a BIC (ISO 9362) to upper case without spaces. Undefined if it is invalid. */
export function parseBic(text: string): string | undefined {
  const bic = text.replaceAll(/\s/g, "").toUpperCase();
  return /^[A-Z0-9]{4}[A-Z]{2}[A-Z0-9]{2}([A-Z0-9]{3})?$/.test(bic) ? bic : undefined;
}
