import { freeText } from "../explain/text.ts";

const maxName = 60;

/** Dots of a domain: IDNA takes these for one. */
const dots = "[.\u3002\uff0e\uff61]";
/** Mail programs turn anything that looks like an address into a link. */
const scheme = /[a-z][a-z0-9+.-]*:\/\/+/giu;
const mailScheme = /\b(mailto|tel|sms|javascript|data):/giu;
/** 12.50 stays, and 192.0.2.1 doesn't. */
const notDecimal = "(?!(?<=(?<![.\\d])\\d+\\.)\\d+(?!\\.?\\d))";
const innerDot = new RegExp(`(?<=[^\\s.])${dots}+(?=[^\\s.,;:!?)\\]"'])${notDecimal}`, "gu");

/** A text of strangers without anything that a mail program could make a link of. */
const withoutLinks = (text: string): string =>
  text
    .replace(scheme, "")
    .replace(mailScheme, "$1 ")
    .replace(/[@＠﹫]/gu, " at ")
    .replace(innerDot, " ");

/** Cuts no character in half. */
const cut = (text: string): string => {
  const characters = [...text];
  return characters.length <= maxName ? text : `${characters.slice(0, maxName - 1).join("")}…`;
};

/** A name that a tenant or a stranger chose, for a mail that the service sends to anybody: up to 60 characters, and no link. */
export const nameInMail = (name: string): string => freeText(cut(withoutLinks(name).replaceAll(/\s+/g, " ").trim()));

/** A line of a note, without a link. */
export const lineInMail = (line: string): string => freeText(withoutLinks(line));
