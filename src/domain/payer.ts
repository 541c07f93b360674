/** The account that a program pays its partners from. */
export interface Payer {
  readonly name: string;
  /** The IBAN without spaces, in upper case. */
  readonly iban: string;
  readonly bic: string | null;
}

/** ISO 9362: in upper case. */
export function parseBic(text: string): string | undefined {
  const bic = text.replaceAll(/\s/g, "").toUpperCase();
  return /^[A-Z0-9]{4}[A-Z]{2}[A-Z0-9]{2}([A-Z0-9]{3})?$/.test(bic) ? bic : undefined;
}
