/** What partners' codes look like. Some were made before new ones had more to keep to. */
export const codeForm = /^[A-Za-z0-9_-]{2,64}$/;

/** Messengers leave out `_` or `-` at the end of a link, and what is left may be another partner's code. */
export const hasSafeEnds = (code: string): boolean => !/^[_-]|[_-]$/.test(code);

export const codeRule = "code must be 2 to 64 letters (A-Z, a-z), digits, hyphens or underscores";
export const endRule = "code must begin and end with a letter or digit";
