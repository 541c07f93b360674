/** The form of partners' codes. Older ones don't meet all rules for new ones. */
export const codeForm = /^[A-Za-z0-9_-]{2,64}$/;

/** Messengers omit `_` or `-` at the end of a link, and the rest may be another partner's code. */
export const hasSafeEnds = (code: string): boolean => !/^[_-]|[_-]$/.test(code);

export const codeRule = "code must be 2 to 64 letters (A-Z, a-z), digits, hyphens or underscores";
export const endRule = "code must begin and end with a letter or digit";
