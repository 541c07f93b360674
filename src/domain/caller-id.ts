/**
 * True for a valid id from a caller: well-formed Unicode of 1 to `max` UTF-16 code units, not blank, without control
 * characters. Ids that differ in case or in inner white space are different ids.
 */
export const isCallerId = (text: string, max = 255): boolean =>
  text.length >= 1 && text.length <= max && /\S/u.test(text) && !/[\p{Cc}\p{Cs}]/u.test(text);

const placeholder = /^(["'`]?)(?:undefined|null|NULL|NaN|None|\[object .*\]|\{\{.*\}\}|\$\{.*\})\1$/su;

/**
 * True for a text that a program sends by mistake in place of a missing value, such as `undefined`. Other spellings,
 * such as `nan` or `none`, are accepted because they can also be names.
 */
export const isPlaceholderId = (id: string): boolean => placeholder.test(id);

/** The first field that contains a placeholder id. */
export const placeholderIn = (ids: Readonly<Record<string, string | null | undefined>>): string | undefined =>
  Object.keys(ids).find((field) => isPlaceholderId(ids[field] ?? ""));
