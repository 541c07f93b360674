/** The longest text about a visit that is stored. */
const maxTextLength = 128;
const maxFormLength = 64;

/** Shortens a text without splitting a character. */
const cutText = (text: string, max: number): string =>
  text.length <= max ? text : text.slice(0, max).replace(/[\uD800-\uDBFF]$/, "");

export const storedText = (text: string | null | undefined): string | null =>
  text == null ? null : cutText(text, maxTextLength);

/** Returns the text if it has the form of its field. Otherwise null. */
const inForm = (form: RegExp) => (text: string | null) =>
  text !== null && text.length <= maxFormLength && form.test(text) ? text : null;

/** A language tag (BCP 47). */
export const storedLanguage = inForm(/^[a-z]{1,8}(?:-[a-z\d]{1,8})*$/i);
/** A time zone name (IANA). */
export const storedTimezone = inForm(/^[a-z][\w+-]*(?:\/[\w+-]+){0,2}$/i);
/** A size, such as "1920x1080". */
export const storedSize = inForm(/^\d{1,5}x\d{1,5}$/);
