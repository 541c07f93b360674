import { freeText } from "../explain/text.ts";

const maxName = 60;

// Characters that look like `.`, `/`, `:` or `@`, from Unicode's confusables and compatibility forms. Browsers and mail
// programs treat some of them like the sign itself, and people may misread the others. Letters and digits of other
// scripts are included only between Latin letters.
const dotOfLatin = "(?<=\\p{Script=Latin})[\u0660\u06f0\ua4f8](?=\\p{Script=Latin})";
const dots = `(?:[.\u06d4\u0701\u0702\u1803\u2024\u3002\ua60e\ufe12\ufe52\uff0e\uff61\u{10a50}\u{1d16d}]|${dotOfLatin})`;
const colons =
  "[:\u02d0\u02f8\u0589\u05c3\u0703\u0704\u16ec\u1803\u1809\u205a\u2236\ua4fd\ua789\ufe13\ufe30\ufe55\uff1a]";
const slashes = "[/\u1735\u2041\u2044\u2215\u2571\u27cb\u29f8\u31d3\u3033\uff0f\u{1d23a}]";
const ats = /[@\ufe6b\uff20]/gu;
/** A URL scheme. Mail programs turn anything that looks like a URL into a link. */
const scheme = new RegExp(`[a-z\uff41-\uff5a][a-z\uff41-\uff5a0-9+.-]*${colons}${slashes}${slashes}+`, "giu");
const mailScheme = new RegExp(`(?<![\\p{L}\\p{N}])(mailto|tel|sms|javascript|data)${colons}`, "giu");
/** Excludes the dot of a decimal number: 12.50 stays, 192.0.2.1 doesn't. */
const notDecimal = "(?!(?<=(?<![.\\d])\\d+\\.)\\d+(?!\\.?\\d))";
const innerDot = new RegExp(`(?<=[^\\s.])${dots}+(?=[^\\s.,;:!?)\\]"'])${notDecimal}`, "gu");

const phone = /(?:[+\uff0b] ?)?\p{Nd}(?:[\p{Zs}().\u2024\uff0e/\p{Pd}]{0,3}\p{Nd}){6,}/gu;
const date = /^\d{1,2}([./-])\d{1,2}\1\d{4}$/;

/**
 * Removes phone numbers, which mail programs also turn into links. Years, dates and numbers of up to eight digits stay.
 * Numbers that begin with `+` or 0 stay only if they have up to six digits.
 */
const withoutPhones = (text: string): string =>
  text.replace(phone, (found) => {
    const isDialed = /^[+\uff0b0]/.test(found.normalize("NFKC"));
    const digits = [...found].filter((sign) => /\p{Nd}/u.test(sign)).length;
    return digits >= (isDialed ? 7 : 9) && !date.test(found) ? "…" : found;
  });

/** Removes everything that a mail program could turn into a link from a text by an unknown author. */
const withoutLinks = (text: string): string =>
  text.replace(scheme, "").replace(mailScheme, "$1 ").replace(ats, " at ").replace(innerDot, " ");

/** Shortens a text without splitting a character. */
const cut = (text: string): string => {
  const characters = [...text];
  return characters.length <= maxName ? text : `${characters.slice(0, maxName - 1).join("")}…`;
};

const inMail = (text: string): string => freeText(cut(withoutLinks(text).replaceAll(/\s+/g, " ").trim()));

/**
 * A name for mails. Anyone can choose it, and the service may send it to any address. The result has at most 60
 * characters, apart from escapes, and contains neither a link nor a phone number.
 */
export const nameInMail = (name: string): string => inMail(withoutPhones(name));

/** A payment reference for mails. Its digits stay, because partners identify the payment by it. */
export const referenceInMail = (reference: string): string => inMail(reference);

/** One line of a note for mails, without links. */
export const lineInMail = (line: string): string => freeText(withoutLinks(line));
