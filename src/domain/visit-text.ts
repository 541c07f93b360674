/** The longest stored text of a visit. */
export const maxTextLength = 128;
const maxFormLength = 64;

/** Cuts a text without splitting a character. */
export const cutText = (text: string, max: number): string =>
  text.length <= max ? text : text.slice(0, max).replace(/[\uD800-\uDBFF]$/, "");

export const storedText = (text: string | null | undefined): string | null =>
  text == null ? null : cutText(text, maxTextLength);

/** Null unless the text has the form of its field. */
const inForm = (form: RegExp) => (text: string | null) =>
  text !== null && text.length <= maxFormLength && form.test(text) ? text : null;

/** BCP 47 */
export const storedLanguage = inForm(/^[a-z]{1,8}(?:-[a-z\d]{1,8})*$/i);
/** IANA */
export const storedTimezone = inForm(/^[a-z][\w+-]*(?:\/[\w+-]+){0,2}$/i);
/** "1920x1080" */
export const storedSize = inForm(/^\d{1,5}x\d{1,5}$/);
