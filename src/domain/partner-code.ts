import { isPlaceholderId } from "./caller-id.ts";

/** The form of all partner codes. New codes must meet further rules, which some older codes don't. */
export const codeForm = /^[A-Za-z0-9_-]{2,64}$/;

/**
 * True if the code doesn't begin or end with `_` or `-`. Messengers leave such characters out at the end of a link, and
 * the shortened code may be another partner's.
 */
export const hasSafeEnds = (code: string): boolean => !/^[_-]|[_-]$/.test(code);

/** True for a text such as `undefined`, which links have if the code is missing. The case of codes is ignored. */
export const isPlaceholderCode = (code: string): boolean =>
  isPlaceholderId(code) || isPlaceholderId(code.toLowerCase());

export const codeRule = "code must be 2 to 64 letters (A-Z, a-z), digits, hyphens or underscores";
export const newCodeRule = "code must begin and end with a letter or digit, and not be a placeholder such as null";
