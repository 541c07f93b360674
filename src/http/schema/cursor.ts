import * as z from "./zod.ts";

const message = "cursor must be a nextCursor from a previous page";

const cursorAfter = (id: number): string => Buffer.from(`after ${id}`).toString("base64url");

function readCursor(text: string): number | undefined {
  const id = Number(/^after ([1-9]\d{0,15})$/.exec(Buffer.from(text, "base64url").toString())?.[1]);
  return Number.isSafeInteger(id) && cursorAfter(id) === text ? id : undefined;
}

export const idCursor = () =>
  z
    .string(message)
    .refine((text) => readCursor(text) !== undefined, message)
    .transform((text) => readCursor(text) ?? 0)
    .optional()
    .openapi({ type: "string", description: "The `nextCursor` of the previous page." });

/** Above any id: the cursor of the first page. */
export const newest = Number.MAX_SAFE_INTEGER;

export const PageMeta = z.object({
  nextCursor: z.string().nullable().describe("Send it as `cursor` to get the next page. Null on the last page."),
});

export interface Page<Row> {
  readonly page: readonly Row[];
  /** Id below which the next page begins. */
  readonly next: number | undefined;
  readonly meta: z.output<typeof PageMeta>;
}

/** Expects one row more than a page, if there is a next page. */
export function pageOf<Row extends { readonly id: number }>(rows: readonly Row[], size: number): Page<Row> {
  const page = rows.slice(0, size);
  return pageUntil(page, rows.length > size ? page.at(-1)?.id : undefined);
}

export const pageUntil = <Row>(page: readonly Row[], next: number | undefined): Page<Row> => ({
  page,
  next,
  meta: { nextCursor: next === undefined ? null : cursorAfter(next) },
});
