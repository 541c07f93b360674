/** Limit on a day of a book. A trigger has it too. */
export const maxUnknownCodes = 100;
/** Partners' codes aren't longer. */
export const maxUnknownCodeLength = 64;
