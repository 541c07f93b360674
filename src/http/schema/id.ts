import type { Resource } from "#domain/resource.ts";
import * as z from "./zod.ts";

/** Accepts an integer or its decimal string. Undefined if it can't be an id. */
export function readId(value: unknown): number | undefined {
  const id = typeof value === "string" && /^[1-9]\d*$/.test(value) ? Number(value) : value;
  return typeof id === "number" && Number.isSafeInteger(id) && id >= 1 ? id : undefined;
}

/** Id of a resource in a path. An invalid one responds "not found". */
export const pathId = (what: Resource, description: string) =>
  z
    .string()
    .transform((text, { addIssue }) => {
      const id = readId(text);
      // The hook of the endpoint reads it.
      if (id === undefined) addIssue(what);
      return id ?? 0;
    })
    .openapi({ type: "string", description });
