import type { FieldError } from "../../domain/refusal.ts";

const maxDepth = 32;

/** What no part of a body may be, whichever field it is in: nested too deeply, or text that can't be stored. */
export const faultOfText = (body: Readonly<Record<string, unknown>>): FieldError | undefined => faultIn(body, [], 1);

function faultIn(value: unknown, path: FieldError["path"], depth: number): FieldError | undefined {
  if (typeof value === "string") return isStorable(value) ? undefined : { path, message: unstorable(path) };
  if (typeof value !== "object" || value === null) return undefined;
  if (depth > maxDepth) return { path: path.slice(0, 1), message: `Request body is nested more than ${maxDepth} deep` };

  for (const [key, member] of Object.entries(value)) {
    if (!isStorable(key)) return { path, message: "A field name contains NUL or ill-formed Unicode" };
    const fault = faultIn(member, [...path, Array.isArray(value) ? Number(key) : key], depth + 1);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

/** In Unicode mode a surrogate that belongs to a pair is no surrogate. */
const isStorable = (text: string): boolean => !text.includes("\0") && !/\p{Surrogate}/u.test(text);

const unstorable = (path: FieldError["path"]): string => `${path.join(".")} contains NUL or ill-formed Unicode`;
