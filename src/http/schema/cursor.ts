import * as z from "./zod.ts";

const message = "cursor must be a nextCursor from a previous page";

const cursorAfter = (id: number): string => Buffer.from(`after ${id}`).toString("base64url");

function readCursor(text: string): number | undefined {
  const id = Number(/^after ([1-9]\d{0,15})$/.exec(Buffer.from(text, "base64url").toString())?.[1]);
  return Number.isSafeInteger(id) && cursorAfter(id) === text ? id : undefined;
}

/** Where a list that goes by ids is to go on: below this one. */
export const idCursor = () =>
  z
    .string(message)
    .refine((text) => readCursor(text) !== undefined, message)
    .transform((text) => readCursor(text) ?? 0)
    .optional()
    .openapi({ type: "string", description: "The `nextCursor` of the previous page." });

/** Above any id: where a list begins, the newest first. */
export const newest = Number.MAX_SAFE_INTEGER;

export const PageMeta = z.object({
  nextCursor: z.string().nullable().describe("Send it as `cursor` to get the next page. Null on the last page."),
});

/** A page of what was read with one row to spare, and where the next begins. */
export function pageOf<Row extends { readonly id: number }>(
  rows: readonly Row[],
  size: number,
): { readonly page: readonly Row[]; readonly next: number | undefined; readonly meta: z.output<typeof PageMeta> } {
  const page = rows.slice(0, size);
  const next = rows.length > size ? page.at(-1)?.id : undefined;
  return { page, next, meta: { nextCursor: next === undefined ? null : cursorAfter(next) } };
}
