/**
 * The most bytes that changes may write in a UTC day. Small changes are counted but never refused. The database grows
 * by one to two times the bytes of an import, and by at most three times those of any change.
 */
export const growthPerDay = { ofProgram: 500_000_000, ofAuthor: 1_000_000_000 } as const;
export type GrowthLimits = { readonly [Of in keyof typeof growthPerDay]: number };

/** Changes of at most this size, such as ending a key, are never refused because of the daily limit. */
export const smallChangeBytes = 1_024;
