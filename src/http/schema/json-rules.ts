import type { FieldError } from "#domain/refusal.ts";

const maxDepth = 32;

interface Found {
  /** Names and indexes from the outermost to the innermost. */
  readonly path: (string | number)[];
  readonly fault: "depth" | "name" | "text";
}

const messages: Readonly<Record<Found["fault"], (path: FieldError["path"]) => string>> = {
  depth: () => `Request body is nested more than ${maxDepth} deep`,
  name: () => "A field name contains NUL or ill-formed Unicode",
  text: (path) => `${path.join(".")} contains NUL or ill-formed Unicode`,
};

/** Finds nesting that is too deep, and text that can't be stored, also in unknown fields. */
export function findTextError(body: Readonly<Record<string, unknown>>): FieldError | undefined {
  const found = faultIn(body, 1);
  if (found === undefined) return undefined;
  const path = found.fault === "depth" ? found.path.slice(0, 1) : found.path;
  return { path, message: messages[found.fault](path) };
}

/** Builds the path only where there is a fault, so that a body of many small values costs little. */
function faultIn(value: unknown, depth: number): Found | undefined {
  if (typeof value === "string") return isStorable(value) ? undefined : { path: [], fault: "text" };
  if (typeof value !== "object" || value === null) return undefined;
  if (depth > maxDepth) return { path: [], fault: "depth" };
  return Array.isArray(value) ? faultAmong(value, depth) : faultOfFields(value, depth);
}

function faultAmong(values: readonly unknown[], depth: number): Found | undefined {
  for (let i = 0; i < values.length; i += 1) {
    const found = faultIn(values[i], depth + 1);
    if (found !== undefined) return within(i, found);
  }
  return undefined;
}

function faultOfFields(value: object, depth: number): Found | undefined {
  for (const key of Object.keys(value)) {
    if (!isStorable(key)) return { path: [], fault: "name" };
    const found = faultIn(Reflect.get(value, key), depth + 1);
    if (found !== undefined) return within(key, found);
  }
  return undefined;
}

function within(key: string | number, found: Found): Found {
  found.path.unshift(key);
  return found;
}

const isStorable = (text: string): boolean => text.isWellFormed() && !text.includes("\0");
