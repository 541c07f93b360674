import { decryptData } from "#domain/encrypted-data.ts";
import type { ProgramId } from "#domain/ids.ts";
import {
  type PaymentDetails,
  parseAccount,
  paymentContext,
  paymentMethods,
  type SealedPaymentDetails,
} from "#domain/payment-details.ts";
import { ok, type Result, refused } from "#domain/result.ts";
import { dataKeysOf, hashSecretOf } from "#env.ts";
import type { Ctx } from "#http/context.ts";
import * as fields from "#http/schema/form-fields.ts";
import { timestamp } from "#http/schema/timestamp.ts";
import * as z from "#http/schema/zod.ts";
import { sealedDetails } from "#http/sealed-details.ts";
import type { PaymentVersionRow } from "#store/payment-details.ts";

const countryRule = "country must be two letters of ISO 3166-1, such as DE";

export const paymentFields = {
  method: fields
    .oneOf("method", paymentMethods)
    .describe("`bank`: an IBAN. `other`: what the partner and the program have agreed on."),
  account: fields.nonBlank("account", 200).describe("An IBAN for `bank`, an email address for `paypal` and `wise`."),
  holder: fields.nonBlank("holder", 100).describe("Name of the account's holder."),
  country: fields
    .optionalText(z.string(countryRule).regex(/^([A-Za-z]{2})?$/, countryRule))
    .describe("Of the holder: ISO 3166-1, two letters."),
  taxId: fields.optional(fields.nonBlank("taxId", 40)),
};

type PaymentInput = { readonly [Name in keyof typeof paymentFields]: z.output<(typeof paymentFields)[Name]> };

/** Unnamed: a named schema loses its `nullable` in the document. */
export const PaymentSummary = z.object({
  method: z.enum(paymentMethods),
  last4: z.string().describe("The end of the account: at most four characters, and at most half of it."),
  setAt: z.iso.datetime(),
});

/** Null if the newest version says that there are no details, or there is none. */
export const paymentSummary = (newest: PaymentVersionRow | undefined): z.output<typeof PaymentSummary> | null =>
  newest == null || newest.method === null || newest.last4 === null
    ? null
    : { method: newest.method, last4: newest.last4, setAt: timestamp(newest.createdAt) };

export function parseDetails({ country, account: written, ...rest }: PaymentInput): Result<PaymentDetails> {
  const account = parseAccount(rest.method, written.trim());
  if (account === undefined) return refused({ code: "invalid_account", method: rest.method });
  return ok({ ...rest, account, country: country?.toUpperCase() ?? null });
}

export const sealDetails = (
  { env }: Pick<Ctx, "env">,
  programId: ProgramId,
  sealId: string,
  details: PaymentDetails,
): Promise<SealedPaymentDetails> =>
  sealedDetails({ dataKeys: dataKeysOf(env), hashSecret: hashSecretOf(env) }, programId, sealId, details);

export type SealedVersion = Pick<PaymentVersionRow, "programId" | "sealId" | "ciphertext">;

/** Undefined if there is nothing to read, or no key of the ring reads it. */
export async function openDetails(
  { env }: Pick<Ctx, "env">,
  { programId, sealId, ciphertext }: SealedVersion,
): Promise<PaymentDetails | undefined> {
  if (ciphertext === null) return undefined;
  const plain = await decryptData(dataKeysOf(env), paymentContext({ programId, sealId }), ciphertext);
  return plain === undefined ? undefined : (JSON.parse(plain) as PaymentDetails);
}
