import * as z from "./zod.ts";

// For 32-bit integers, which generated clients in Java, C#, Kotlin and Go use for an integer without a format.
export const small = { maximum: 2 ** 31 - 1 };
export const wide = { format: "int64", maximum: Number.MAX_SAFE_INTEGER };

export const int32 = () => z.int().openapi(small);
/** Use this for every integer that may exceed 2^31: sums, counts of events, sequence numbers. */
export const int64 = () => z.int().openapi(wide);
export const id = () => z.int().min(1).openapi(wide);
