import type { Resource } from "#domain/resource.ts";
import * as z from "./zod.ts";

/** Accepts an integer or its decimal string. Returns undefined if the value can't be an id. */
export function readId(value: unknown): number | undefined {
  const id = typeof value === "string" && /^[1-9]\d*$/.test(value) ? Number(value) : value;
  return typeof id === "number" && Number.isSafeInteger(id) && id >= 1 ? id : undefined;
}

/** The id of a resource in a path. If it is invalid, the endpoint responds with 404. */
export const pathId = (what: Resource, description: string) =>
  z
    .string()
    .transform((text, { addIssue }) => {
      const id = readId(text);
      // The endpoint's hook reads this issue.
      if (id === undefined) addIssue(what);
      return id ?? 0;
    })
    .openapi({ type: "string", description });
