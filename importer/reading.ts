export const problemCodes = [
  "missing_value",
  "invalid_value",
  "placeholder_id",
  "rounded_id",
  "ambiguous_amount",
  "ambiguous_date",
  "duplicate",
] as const;
export type ProblemCode = (typeof problemCodes)[number];

/** A cell's value in the service's form, or the reason why it can't be read. */
export type Reading<T extends string | boolean = string | boolean> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly code: ProblemCode; readonly expected: string };

export const read = <T extends string | boolean>(value: T): Reading<T> => ({ ok: true, value });
export const unread = (expected: string, code: ProblemCode = "invalid_value"): Reading<never> => ({
  ok: false,
  code,
  expected,
});
