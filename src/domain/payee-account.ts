import { maskAddress } from "./email.ts";
import type { PaymentMethod } from "./payment-details.ts";

const isAddress = /^[^\s@:;,<>\p{C}]+@[^\s@.:;,<>\p{C}]+(\.[^\s@.:;,<>\p{C}]+)+$/u;

/** Undefined if it is no account of the method. `account` is as entered. */
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
 * From the IBAN registry (ISO 13616), for the countries that a SEPA credit transfer reaches (EPC409-09): after the
 * check digits, the number of digits (n), capital letters (a) and either (c).
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

/** ISO 13616: without spaces, in upper case. */
export function parseIban(text: string): string | undefined {
  const iban = text.replaceAll(/\s/g, "").toUpperCase();
  const form = ibanForms[iban.slice(0, 2)];
  const account =
    form === undefined
      ? "[A-Z0-9]{11,30}"
      : form.replaceAll(/(\d+)(\D)/g, (_, count: string, kind: string) => `${kinds[kind]}{${count}}`);
  // 00, 01 and 99 are the check digits of no account.
  if (!new RegExp(`^[A-Z]{2}(?!0[01]|99)\\d\\d${account}$`).test(iban)) return undefined;
  const digits = (iban.slice(4) + iban.slice(0, 4)).replaceAll(/[A-Z]/g, (letter) => String(letter.charCodeAt(0) - 55));
  return BigInt(digits) % 97n === 1n ? iban : undefined;
}

export const isSepaIban = (iban: string): boolean => Object.hasOwn(ibanForms, iban.slice(0, 2));

/** Equal for the spellings of one account: ignores case, separators, invisible characters, and a leading word. */
export function accountName(account: string): string {
  const text = account
    .normalize("NFKC")
    .replaceAll(/\p{Cf}/gu, "")
    .toLowerCase();
  const [address] = /[^\s:<>]+@[^\s:<>]+/.exec(text) ?? [];
  return address ?? text.replaceAll(/[^\p{L}\p{N}]/gu, "").replace(/^iban/, "");
}

/** The end of an account, by which its holder recognizes it: at most half of a short one. */
export const last4Of = (account: string): string => account.slice(-Math.max(1, Math.min(4, account.length >> 1)));

/** What admins see of an account: its end, or an address as `j•••@example.com`. */
export const maskAccount = (account: string): string =>
  isAddress.test(account) ? maskAddress(account) : last4Of(account);
