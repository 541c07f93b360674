/**
 * Whether a text can be an id or key of the caller's: 1 to 255 UTF-16 units, not blank, no control characters,
 * well-formed Unicode. Case and inner white space count.
 */
export const isCallerId = (text: string): boolean =>
  text.length >= 1 && text.length <= 255 && /\S/u.test(text) && !/[\p{Cc}\p{Cs}]/u.test(text);
