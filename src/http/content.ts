import type * as z from "./schema/zod.ts";

/** A body that has to be there. */
export const body = <Schema extends z.ZodType>(schema: Schema) => ({
  required: true,
  content: { "application/json": { schema } },
});

/** The same for browsers too, which send `text/plain` without asking first. */
export const plainBody = <Schema extends z.ZodType>(schema: Schema) => ({
  required: true,
  content: { "application/json": { schema }, "text/plain": { schema } },
});

/** The answer that does not refuse. */
export const ok = <Schema extends z.ZodType>(description: string, schema: Schema) => ({
  200: { description, content: { "application/json": { schema } } },
});

/** The answer that tells of what was made. */
export const created = <Schema extends z.ZodType>(description: string, schema: Schema) => ({
  201: { description, content: { "application/json": { schema } } },
});
