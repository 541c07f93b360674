/**
 * Accepts 1 to `max` UTF-16 units of well-formed Unicode, not blank, without control characters. Case and inner white
 * space count.
 */
export const isCallerId = (text: string, max = 255): boolean =>
  text.length >= 1 && text.length <= max && /\S/u.test(text) && !/[\p{Cc}\p{Cs}]/u.test(text);
