import type { Refusal } from "./refusal.ts";
import type { Resource } from "./resource.ts";

export type Result<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly refusal: Refusal };

export const ok = <T>(value: T): Result<T> => ({ ok: true, value });
export const refused = (refusal: Refusal): Result<never> => ({ ok: false, refusal });

export const notFound = <What extends Resource>(what: What) => ({ code: "not_found", what }) as const;

/** The delay before a retry, for states that end soon: busy or unavailable. */
export const retryAfterSeconds = 5;
export const unavailable = { code: "unavailable", retryAfterSeconds } as const;
