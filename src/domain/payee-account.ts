import { maskAddress } from "./email.ts";
import type { PaymentMethod } from "./payment-details.ts";

const isAddress = /^[^\s@:;,<>\p{C}]+@[^\s@.:;,<>\p{C}]+(\.[^\s@.:;,<>\p{C}]+)+$/u;

/** Normalizes `account` as entered. Undefined if it isn't an account of the method. */
export function parseAccount(method: PaymentMethod, account: string): string | undefined {
  switch (method) {
    case "bank":
      return parseIban(account);
    case "paypal":
    case "wise":
      return isAddress.test(account) && account === account.normalize("NFKC") ? account : undefined;
    case "other":
      return account;
  }
}

/**
 * The form of an IBAN after the check digits, from the IBAN registry (ISO 13616), for the countries that SEPA credit
 * transfers reach (EPC409-09). `n` is a number of digits, `a` of capital letters, `c` of either.
 */
const ibanForms: Readonly<Record<string, string>> = {
  AD: "8n12c",
  AL: "8n16c",
  AT: "16n",
  BE: "12n",
  BG: "4a6n8c",
  CH: "5n12c",
  CY: "8n16c",
  CZ: "20n",
  DE: "18n",
  DK: "14n",
  EE: "16n",
  ES: "20n",
  FI: "14n",
  FR: "10n11c2n",
  GB: "4a14n",
  GI: "4a15c",
  GR: "7n16c",
  HR: "17n",
  HU: "24n",
  IE: "4a14n",
  IS: "22n",
  IT: "1a10n12c",
  LI: "5n12c",
  LT: "16n",
  LU: "3n13c",
  LV: "4a13c",
  MC: "10n11c2n",
  MD: "20c",
  ME: "18n",
  MK: "3n10c2n",
  MT: "4a5n18c",
  NL: "4a10n",
  NO: "11n",
  PL: "24n",
  PT: "21n",
  RO: "4a16c",
  RS: "18n",
  SE: "20n",
  SI: "15n",
  SK: "20n",
  SM: "1a10n12c",
  VA: "18n",
};
const kinds: Readonly<Record<string, string>> = { n: "\\d", a: "[A-Z]", c: "[A-Z0-9]" };

/** Normalizes an IBAN (ISO 13616) to upper case without spaces. Undefined if it is invalid. */
export function parseIban(text: string): string | undefined {
  const iban = text.replaceAll(/\s/g, "").toUpperCase();
  const form = ibanForms[iban.slice(0, 2)];
  const account =
    form === undefined
      ? "[A-Z0-9]{11,30}"
      : form.replaceAll(/(\d+)(\D)/g, (_, count: string, kind: string) => `${kinds[kind]}{${count}}`);
  // No account has the check digits 00, 01 or 99.
  if (!new RegExp(`^[A-Z]{2}(?!0[01]|99)\\d\\d${account}$`).test(iban)) return undefined;
  const digits = (iban.slice(4) + iban.slice(0, 4)).replaceAll(/[A-Z]/g, (letter) => String(letter.charCodeAt(0) - 55));
  return BigInt(digits) % 97n === 1n ? iban : undefined;
}

export const isSepaIban = (iban: string): boolean => Object.hasOwn(ibanForms, iban.slice(0, 2));

/** Equal for different spellings of an account. Ignores case, separators, invisible characters and a leading "IBAN". */
export function accountName(account: string): string {
  const text = account
    .normalize("NFKC")
    .replaceAll(/\p{Cf}/gu, "")
    .toLowerCase();
  const [address] = /[^\s:<>]+@[^\s:<>]+/.exec(text) ?? [];
  return address ?? text.replaceAll(/[^\p{L}\p{N}]/gu, "").replace(/^iban/, "");
}

/** The last characters of an account, by which its holder recognizes it. At most half of a short account. */
export const last4Of = (account: string): string => account.slice(-Math.max(1, Math.min(4, account.length >> 1)));

/** An account as admins see it: its last characters, or an address such as `j•••@example.com`. */
export const maskAccount = (account: string): string =>
  isAddress.test(account) ? maskAddress(account) : last4Of(account);
