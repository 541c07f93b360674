/** The most unknown codes counted for a book in a day. A trigger has the same limit. */
export const maxUnknownCodes = 100;
/** The longest counted code. Partner codes aren't longer. */
export const maxUnknownCodeLength = 64;
