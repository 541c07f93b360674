/**
 * Accepts 1 to `max` UTF-16 units of well-formed Unicode, not blank, without control characters. Case and inner white
 * space count.
 */
export const isCallerId = (text: string, max = 255): boolean =>
  text.length >= 1 && text.length <= max && /\S/u.test(text) && !/[\p{Cc}\p{Cs}]/u.test(text);

const placeholder = /^(["'`]?)(?:undefined|null|NULL|NaN|None|\[object .*\]|\{\{.*\}\}|\$\{.*\})\1$/su;

/** Only in these spellings: `nan` and `none` are names. Programs send them if a value is missing. */
export const isPlaceholderId = (id: string): boolean => placeholder.test(id);

/** The name of the first field whose id is a placeholder. */
export const placeholderIn = (ids: Readonly<Record<string, string | null | undefined>>): string | undefined =>
  Object.keys(ids).find((field) => isPlaceholderId(ids[field] ?? ""));
