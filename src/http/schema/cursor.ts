import * as z from "./zod.ts";

const messageOf = (name: "next_cursor" | "nextCursor"): string => `cursor must be a ${name} from a previous page`;

/** For a cursor of a list in another order. */
export const cursorMessage = messageOf("nextCursor");

/** `name` is the reply's field that the cursor comes from. `read` returns undefined if the text is no cursor. */
export const cursorOf = <Position>(
  name: "next_cursor" | "nextCursor",
  read: (text: string) => Position | undefined,
  more = "",
) => {
  const message = messageOf(name);
  return z
    .string(message)
    .transform((text, { addIssue }) => {
      const position = read(text);
      if (position === undefined) addIssue(message);
      return position;
    })
    .optional()
    .openapi({ type: "string", description: `The \`${name}\` of the previous page.${more}` });
};

const cursorAfter = (id: number): string => Buffer.from(`after ${id}`).toString("base64url");

function readCursor(text: string): number | undefined {
  const id = Number(/^after ([1-9]\d{0,15})$/.exec(Buffer.from(text, "base64url").toString())?.[1]);
  return Number.isSafeInteger(id) && cursorAfter(id) === text ? id : undefined;
}

export const idCursor = () => cursorOf("nextCursor", readCursor);

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

/** Expects one row more than a page, if there is a next page. `last` is undefined on the last page. */
export function cutPage<Row>(rows: readonly Row[], size: number) {
  const page = rows.slice(0, size);
  return { page, last: rows.length > size ? page.at(-1) : undefined };
}

export function pageOf<Row extends { readonly id: number }>(rows: readonly Row[], size: number): Page<Row> {
  const { page, last } = cutPage(rows, size);
  return pageUntil(page, last?.id);
}

export const pageUntil = <Row>(page: readonly Row[], next: number | undefined): Page<Row> => ({
  page,
  next,
  meta: { nextCursor: next === undefined ? null : cursorAfter(next) },
});
