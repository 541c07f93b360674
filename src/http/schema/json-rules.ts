import type { FieldError } from "#domain/refusal.ts";

const maxDepth = 32;

/** Finds nesting that is too deep or text that can't be stored, in known and unknown fields alike. */
export const findTextError = (body: Readonly<Record<string, unknown>>): FieldError | undefined => errorIn(body, [], 1);

function errorIn(value: unknown, path: FieldError["path"], depth: number): FieldError | undefined {
  if (typeof value === "string") return isStorable(value) ? undefined : { path, message: unstorable(path) };
  if (typeof value !== "object" || value === null) return undefined;
  if (depth > maxDepth) return { path: path.slice(0, 1), message: `Request body is nested more than ${maxDepth} deep` };

  for (const [key, member] of Object.entries(value)) {
    if (!isStorable(key)) return { path, message: "A field name contains NUL or ill-formed Unicode" };
    const error = errorIn(member, [...path, Array.isArray(value) ? Number(key) : key], depth + 1);
    if (error !== undefined) return error;
  }
  return undefined;
}

/** In Unicode mode, `\p{Surrogate}` matches only unpaired surrogates. */
const isStorable = (text: string): boolean => !text.includes("\0") && !/\p{Surrogate}/u.test(text);

const unstorable = (path: FieldError["path"]): string => `${path.join(".")} contains NUL or ill-formed Unicode`;
