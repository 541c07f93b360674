import type { DataContext } from "./encrypted-data.ts";
import type { LedgerEntryId, ProgramId } from "./ids.ts";

/** A version's id is a number of the ledger, so versions and finalized payouts have one order. */
export type PaymentVersionId = LedgerEntryId;

/** `bank`: an IBAN. `other`: as agreed between the partner and the program. */
export const paymentMethods = ["paypal", "wise", "bank", "other"] as const;
export type PaymentMethod = (typeof paymentMethods)[number];

/** A partner's payee. Only the partner, and owners in a payment file, see all of it. */
export interface PaymentDetails {
  readonly method: PaymentMethod;
  /** An email address for `paypal` and `wise`, an IBAN without spaces for `bank`. */
  readonly account: string;
  readonly holder: string;
  /** ISO 3166-1 alpha-2, in upper case. */
  readonly country: string | null;
  readonly taxId: string | null;
  /** As printed on the partner's statements. Absent from details that an earlier version stored. */
  readonly address?: string | null;
}

export const maxPayeeAddress = 300;

interface Sealed {
  readonly programId: ProgramId;
  /** Names the version in the ciphertext. */
  readonly sealId: string;
}

/** The part of payment details that the Ledger and the database see. */
export interface SealedPaymentDetails {
  readonly method: PaymentMethod;
  readonly last4: string;
  readonly ciphertext: string;
  readonly sealId: string;
  /** Keyed: equal for the same details within a program. */
  readonly digest: string;
  /** Keyed: equal for the same account, of any partner. Null if the text names none. */
  readonly accountDigest: string | null;
}

/** The context of a version's ciphertext. */
export const paymentContext = ({ programId, sealId }: Sealed): DataContext => ({
  purpose: "payment-details",
  rowId: `${programId} ${sealId}`,
});
