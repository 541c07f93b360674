/** Bytes that the changes of a UTC day may write, besides those that are small. The database takes one to two times as much for imports, and three at most. */
export const growthPerDay = { ofProgram: 500_000_000, ofAuthor: 1_000_000_000 } as const;
export type GrowthLimits = { readonly [Of in keyof typeof growthPerDay]: number };

/** A change that writes no more than this is never refused for what was written before, such as the end of a key. */
export const smallChangeBytes = 1_024;
