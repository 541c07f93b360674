/**
 * Accepts 1 to 255 UTF-16 units of well-formed Unicode, not blank, without control characters. Case and inner white
 * space count.
 */
export const isCallerId = (text: string): boolean =>
  text.length >= 1 && text.length <= 255 && /\S/u.test(text) && !/[\p{Cc}\p{Cs}]/u.test(text);
