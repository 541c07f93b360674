import type { DataContext } from "./encrypted-data.ts";
import type { LedgerEntryId, ProgramId } from "./ids.ts";

/**
 * The id of a version of payment details. It comes from the sequence of ledger entries, so that versions and finalized
 * payouts are in one order.
 */
export type PaymentVersionId = LedgerEntryId;

/** `bank` is an IBAN. `other` is whatever the partner and the program have agreed. */
export const paymentMethods = ["paypal", "wise", "bank", "other"] as const;
export type PaymentMethod = (typeof paymentMethods)[number];

/**
 * The account to which a partner is paid. All of it is shown to the account that set it, and to owners in a download.
 */
export interface PaymentDetails {
  readonly method: PaymentMethod;
  /** An email address for `paypal` and `wise`, an IBAN without spaces for `bank`. */
  readonly account: string;
  readonly holder: string;
  /** ISO 3166-1 alpha-2 in upper case. */
  readonly country: string | null;
  readonly taxId: string | null;
  /** As printed on the partner's statements. Missing in details that an earlier version of the service stored. */
  readonly address?: string | null;
}

export const maxPayeeAddress = 300;

interface Sealed {
  readonly programId: ProgramId;
  /** The id under which a version is encrypted. Its ciphertext can't be decrypted under another id. */
  readonly sealId: string;
}

/** Payment details as the Ledger and the database receive them, encrypted. */
export interface SealedPaymentDetails {
  readonly method: PaymentMethod;
  readonly last4: string;
  readonly ciphertext: string;
  readonly sealId: string;
  /** A keyed digest, equal for the same details within a program. */
  readonly digest: string;
  /**
   * A keyed digest of the account. The same account has the same digest for every partner. Null if the text contains no
   * account.
   */
  readonly accountDigest: string | null;
}

/** The purpose and the row of a version's ciphertext. */
export const paymentContext = ({ programId, sealId }: Sealed): DataContext => ({
  purpose: "payment-details",
  rowId: `${programId} ${sealId}`,
});
