/**
 * Bytes that the changes of a UTC day may write, without small ones. The database needs one to two times as much for
 * imports, and at most three.
 */
export const growthPerDay = { ofProgram: 500_000_000, ofAuthor: 1_000_000_000 } as const;
export type GrowthLimits = { readonly [Of in keyof typeof growthPerDay]: number };

/** A smaller change, such as ending a key, is never refused for the day's writes. */
export const smallChangeBytes = 1_024;
