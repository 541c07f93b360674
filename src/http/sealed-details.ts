import type { DataKeyRing } from "#domain/data-keys.ts";
import { emailDigest, emailHash } from "#domain/email-digest.ts";
import { encryptData, ivBytes } from "#domain/encrypted-data.ts";
import type { ProgramId } from "#domain/ids.ts";
import { accountName, maskAccount } from "#domain/payee-account.ts";
import { type PaymentDetails, paymentContext, type SealedPaymentDetails } from "#domain/payment-details.ts";
import { digest } from "./keyed-digest.ts";

export interface SealingKeys {
  readonly dataKeys: DataKeyRing;
  readonly hashSecret: string;
}

/** A text for another method may just say "credit". */
const isAccount = (text: string): boolean => /[\d@]/.test(text);

/** The only form that the Ledger and the database see. `sealId`: id of the version, never used twice. */
export async function sealedDetails(
  { dataKeys, hashSecret }: SealingKeys,
  programId: ProgramId,
  sealId: string,
  { method, account, holder, country, taxId, address }: PaymentDetails,
): Promise<SealedPaymentDetails> {
  // Without an address as before there were any, so that the same details keep their digest.
  const plain = JSON.stringify({ method, account, holder, country, taxId, ...(address != null && { address }) });
  const iv = crypto.getRandomValues(new Uint8Array(ivBytes));
  return {
    method,
    last4: maskAccount(account),
    ciphertext: await encryptData(dataKeys, paymentContext({ programId, sealId }), plain, iv),
    sealId,
    digest: digest(hashSecret, "payment-details", String(programId), plain),
    accountDigest: isAccount(account)
      ? emailHash(hashSecret, programId, emailDigest(hashSecret, accountName(account)))
      : null,
  };
}
