import type * as z from "./zod.ts";

/** By name. */
export type Examples<T> = Readonly<Record<string, { readonly value: T }>>;

/** A body that has to be there. */
export const body = <Schema extends z.ZodType>(schema: Schema, examples: Examples<z.input<Schema>>) => ({
  required: true,
  content: { "application/json": { schema, examples } },
});

/** The same for browsers too, which send `text/plain` without asking first. */
export const plainBody = <Schema extends z.ZodType>(schema: Schema, examples: Examples<z.input<Schema>>) => ({
  required: true,
  content: { "application/json": { schema, examples }, "text/plain": { schema, examples } },
});

/** The answer that does not refuse. */
export const ok = <Schema extends z.ZodType>(
  description: string,
  schema: Schema,
  examples: Examples<z.output<Schema>>,
) => ({
  200: { description, content: { "application/json": { schema, examples } } },
});
