import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { isWiseName } from "#domain/payee-name.ts";
import { fieldError } from "../api/failure.ts";
import { filled, SelectField, TextArea, TextField, type Values } from "../components/form.tsx";

/**
 * Shows the last characters of an account after "…". An address is already masked (it contains "•"), and isn't changed.
 */
export const maskedAccount = (account: string): string => (account.includes("•") ? account : `…${account}`);

export const paymentMethodTitles = {
  bank: "Bank transfer",
  paypal: "PayPal",
  wise: "Wise",
  other: "Other",
} as const;
type PaymentMethod = keyof typeof paymentMethodTitles;

const accounts = {
  bank: { label: "IBAN" },
  paypal: { label: "Email of the PayPal account", type: "email" },
  wise: { label: "Email of the Wise account", type: "email" },
  other: { label: "Account", hint: "As you agreed with the program." },
} as const satisfies Record<PaymentMethod, object>;

/**
 * Hints for the holder's name, by payment method: the payment service returns a payment if the name differs from its
 * own records.
 */
const holders: Readonly<Partial<Record<PaymentMethod, string>>> = {
  bank: "As registered with the bank, in Latin, Greek or Cyrillic letters.",
  wise: "First and last name in Latin letters, at most 35 characters. Initials alone aren't enough.",
};

const isMethod = (text: string): text is PaymentMethod => Object.hasOwn(accounts, text);

/**
 * The payment details in the form that the API accepts. Throws if Wise would refuse the holder's name: the payment file
 * for Wise leaves such partners out.
 */
export function paymentOf({ method = "", account = "", holder = "", country, taxId, address }: Values) {
  if (method === "wise" && !isWiseName(holder)) {
    throw fieldError("holder", "Wise refuses this name. Enter a first and a last name in Latin letters.");
  }
  return {
    method: isMethod(method) ? method : "other",
    account,
    holder,
    country: filled(country),
    taxId: filled(taxId),
    address: filled(address),
  };
}

export function PaymentFields({ holder }: { readonly holder?: string | undefined }): JSX.Element {
  const [method, setMethod] = useState<PaymentMethod>("bank");
  return (
    <>
      <SelectField
        name="method"
        label="Method"
        value={method}
        options={Object.entries(paymentMethodTitles)}
        onInput={(value) => isMethod(value) && setMethod(value)}
      />
      <TextField key={method} name="account" {...accounts[method]} />
      <TextField name="holder" label="Account holder" value={holder} hint={holders[method]} />
      <TextField name="country" label="Country" hint="Two letters, such as DE." isOptional />
      <TextField name="taxId" label="Tax ID" hint="Printed on statements." isOptional />
      <TextArea name="address" label="Address" hint="Printed on statements." isOptional />
    </>
  );
}
