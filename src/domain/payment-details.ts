import type { DataContext } from "./encrypted-data.ts";
import type { LedgerEntryId, ProgramId } from "./ids.ts";

/** A version's id is a number of the ledger, so versions and finalized payouts have one order. */
export type PaymentVersionId = LedgerEntryId;

/** `bank`: an IBAN. `other`: what the partner and the program have agreed on. */
export const paymentMethods = ["paypal", "wise", "bank", "other"] as const;
export type PaymentMethod = (typeof paymentMethods)[number];

/** Where a partner is paid. Only its holder, and owners in a payment file, see all of it. */
export interface PaymentDetails {
  readonly method: PaymentMethod;
  /** An email address for `paypal` and `wise`, an IBAN without spaces for `bank`. */
  readonly account: string;
  readonly holder: string;
  /** ISO 3166-1 alpha-2, in upper case. */
  readonly country: string | null;
  readonly taxId: string | null;
}

interface Sealed {
  readonly programId: ProgramId;
  /** Names the version in the ciphertext. */
  readonly sealId: string;
}

/** What the Ledger and the database see of details. */
export interface SealedPaymentDetails {
  readonly method: PaymentMethod;
  readonly last4: string;
  readonly ciphertext: string;
  readonly sealId: string;
  /** Keyed: the same details of a program have the same digest. */
  readonly digest: string;
  /** Keyed: the same account, whoever holds it. Null where the text names none. */
  readonly accountDigest: string | null;
}

/** What the ciphertext of a version belongs to. */
export const paymentContext = ({ programId, sealId }: Sealed): DataContext => ({
  purpose: "payment-details",
  rowId: `${programId} ${sealId}`,
});

/** Undefined if it is no account of the method. `account` is as a person writes it. */
export function parseAccount(method: PaymentMethod, account: string): string | undefined {
  switch (method) {
    case "bank":
      return parseIban(account);
    case "paypal":
    case "wise":
      return /^[^\s@]+@[^\s@.]+(\.[^\s@.]+)+$/.test(account) ? account : undefined;
    case "other":
      return account;
  }
}

/** Of the IBAN registry (ISO 13616), for the countries that a SEPA credit transfer reaches (EPC409-09). */
const ibanLengths: Readonly<Record<string, number>> = {
  ...{ AD: 24, AL: 28, AT: 20, BE: 16, BG: 22, CH: 21, CY: 28, CZ: 24, DE: 22, DK: 18, EE: 20, ES: 24, FI: 18, FR: 27 },
  ...{ GB: 22, GI: 23, GR: 27, HR: 21, HU: 28, IE: 22, IS: 26, IT: 27, LI: 21, LT: 20, LU: 20, LV: 21, MC: 27, MD: 24 },
  ...{ ME: 22, MK: 19, MT: 31, NL: 18, NO: 15, PL: 28, PT: 25, RO: 24, RS: 22, SE: 24, SI: 19, SK: 24, SM: 27, VA: 22 },
};

/** ISO 13616: without spaces, in upper case. */
export function parseIban(text: string): string | undefined {
  const iban = text.replaceAll(/\s/g, "").toUpperCase();
  if (!/^[A-Z]{2}\d{2}[A-Z0-9]{11,30}$/.test(iban)) return undefined;
  if ((ibanLengths[iban.slice(0, 2)] ?? iban.length) !== iban.length) return undefined;
  const digits = (iban.slice(4) + iban.slice(0, 4)).replaceAll(/[A-Z]/g, (letter) => String(letter.charCodeAt(0) - 55));
  return BigInt(digits) % 97n === 1n ? iban : undefined;
}

export const isSepaIban = (iban: string): boolean => Object.hasOwn(ibanLengths, iban.slice(0, 2));

/** The end of an account by which its holder knows it again: at most half of a short one. */
export const last4Of = (account: string): string => account.slice(-Math.max(1, Math.min(4, account.length >> 1)));
