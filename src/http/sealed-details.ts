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

/**
 * False for a text without a digit or @, because with the method "other" the account may be a word such as "credit".
 */
const isAccount = (text: string): boolean => /[\d@]/.test(text);

/**
 * Encrypts payment details. The Ledger and the database see only this form. `sealId` is the version's id, which must
 * never be reused.
 */
export async function sealedDetails(
  { dataKeys, hashSecret }: SealingKeys,
  programId: ProgramId,
  sealId: string,
  { method, account, holder, country, taxId, address }: PaymentDetails,
): Promise<SealedPaymentDetails> {
  // An absent address is left out, as in versions before addresses existed, so that equal details have equal digests.
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
