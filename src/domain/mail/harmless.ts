import { freeText } from "../explain/text.ts";

const maxName = 60;

// Look-alikes of `.`, `/`, `:` and `@` in Unicode's confusables and compatibility forms: browsers and mail programs
// treat some as the sign itself, and people read the others as such. Without letters and digits of other scripts,
// unless they are between Latin letters.
const dotOfLatin = "(?<=\\p{Script=Latin})[\u0660\u06f0\ua4f8](?=\\p{Script=Latin})";
const dots = `(?:[.\u06d4\u0701\u0702\u1803\u2024\u3002\ua60e\ufe12\ufe52\uff0e\uff61\u{10a50}\u{1d16d}]|${dotOfLatin})`;
const colons =
  "[:\u02d0\u02f8\u0589\u05c3\u0703\u0704\u16ec\u1803\u1809\u205a\u2236\ua4fd\ua789\ufe13\ufe30\ufe55\uff1a]";
const slashes = "[/\u1735\u2041\u2044\u2215\u2571\u27cb\u29f8\u31d3\u3033\uff0f\u{1d23a}]";
const ats = /[@\ufe6b\uff20]/gu;
/** Mail programs turn anything that looks like an address into a link. */
const scheme = new RegExp(`[a-z\uff41-\uff5a][a-z\uff41-\uff5a0-9+.-]*${colons}${slashes}${slashes}+`, "giu");
const mailScheme = new RegExp(`(?<![\\p{L}\\p{N}])(mailto|tel|sms|javascript|data)${colons}`, "giu");
/** 12.50 stays, and 192.0.2.1 doesn't. */
const notDecimal = "(?!(?<=(?<![.\\d])\\d+\\.)\\d+(?!\\.?\\d))";
const innerDot = new RegExp(`(?<=[^\\s.])${dots}+(?=[^\\s.,;:!?)\\]"'])${notDecimal}`, "gu");

const phone = /(?:[+\uff0b] ?)?\p{Nd}(?:[\p{Zs}().\u2024\uff0e/\p{Pd}]{0,3}\p{Nd}){6,}/gu;
const date = /^\d{1,2}([./-])\d{1,2}\1\d{4}$/;

/** Mail programs make links of phone numbers, too. Years, dates and amounts of up to eight digits stay. */
const withoutPhones = (text: string): string =>
  text.replace(phone, (found) => {
    const isDialed = /^[+\uff0b0]/.test(found.normalize("NFKC"));
    const digits = [...found].filter((sign) => /\p{Nd}/u.test(sign)).length;
    return digits >= (isDialed ? 7 : 9) && !date.test(found) ? "…" : found;
  });

/** A stranger's text without anything that a mail program could turn into a link. */
const withoutLinks = (text: string): string =>
  text.replace(scheme, "").replace(mailScheme, "$1 ").replace(ats, " at ").replace(innerDot, " ");

/** Cuts no character in half. */
const cut = (text: string): string => {
  const characters = [...text];
  return characters.length <= maxName ? text : `${characters.slice(0, maxName - 1).join("")}…`;
};

const inMail = (text: string): string => freeText(cut(withoutLinks(text).replaceAll(/\s+/g, " ").trim()));

/**
 * A name chosen by a tenant or a stranger, for a mail that the service may send to any address: up to 60 characters, no
 * link and no phone number.
 */
export const nameInMail = (name: string): string => inMail(withoutPhones(name));

/** Identifies a payment for a partner, so its digits stay. */
export const referenceInMail = (reference: string): string => inMail(reference);

/** A line of a note, without a link. */
export const lineInMail = (line: string): string => freeText(withoutLinks(line));
