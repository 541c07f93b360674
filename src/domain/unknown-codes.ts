/** Limit on a day of a book. A trigger has it too. */
export const maxUnknownCodes = 100;
/** No partner's code is longer. */
export const maxUnknownCodeLength = 64;
