import * as z from "./zod.ts";

// Generated clients in Java, C#, Kotlin and Go read an integer without a format as 32 bits.
export const small = { maximum: 2 ** 31 - 1 };
export const wide = { format: "int64", maximum: Number.MAX_SAFE_INTEGER };

export const int32 = () => z.int().openapi(small);
/** For every integer without a limit below 2^31: sums, counts of events, numbers in the feed. */
export const int64 = () => z.int().openapi(wide);
export const id = () => z.int().min(1).openapi(wide);
