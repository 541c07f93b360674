import * as z from "./zod.ts";

type CursorName = "next_cursor" | "nextCursor";

const messageOf = (name: CursorName): string => `cursor must be a ${name} from a previous page`;

/** The error for a cursor of a list in another order. */
export const cursorMessage = messageOf("nextCursor");

/**
 * Creates cursors of one list. A cursor contains the list's name, so that other lists reject it. `fields` are the
 * values that say where a page ends.
 */
export function cursorOf<const Fields extends z.ZodRawShape>(list: string, fields: Fields) {
  const names = Object.keys(fields);
  const schema = z.object(fields);
  type Position = z.output<typeof schema>;

  /** Null after the last page. */
  const after = (position: Position | undefined): string | null => (position === undefined ? null : textOf(position));

  const textOf = (position: Position): string =>
    Buffer.from(JSON.stringify([list, ...names.map((name) => Reflect.get(position, name))])).toString("base64url");

  function read(text: string): Position | undefined {
    const values = valuesIn(text);
    const { data } = schema.safeParse(Object.fromEntries(names.map((name, i) => [name, values[i + 1]])));
    return data !== undefined && textOf(data) === text ? data : undefined;
  }

  /** `name` is the field of a reply whose value the caller sends as the cursor. */
  const parameter = (name: CursorName = "nextCursor", more = "") =>
    z
      .string(messageOf(name))
      .transform((text, { addIssue }) => {
        const position = read(text);
        if (position === undefined) addIssue(messageOf(name));
        return position;
      })
      .optional()
      .openapi({ type: "string", description: `The \`${name}\` of the previous page.${more}` });

  const pageUntil = <Row>(page: readonly Row[], next: Position | undefined) => ({
    page,
    next,
    meta: { nextCursor: after(next) },
  });

  /** `rows` must contain one row more than a page if there is a next page. */
  function pageOf<Row>(rows: readonly Row[], size: number, positionOf: (last: Row) => Position) {
    const { page, last } = cutPage(rows, size);
    return pageUntil(page, last && positionOf(last));
  }
  return { after, parameter, pageOf, pageUntil };
}

function valuesIn(text: string): readonly unknown[] {
  try {
    const values: unknown = JSON.parse(Buffer.from(text, "base64url").toString());
    return Array.isArray(values) ? values : [];
  } catch {
    return [];
  }
}

/** Cursor of a list by id, newest first. */
export const idCursor = (list: string) => cursorOf(list, { id: z.int().positive() });

/** Position of the first page, above every id. */
export const newest = { id: Number.MAX_SAFE_INTEGER };

export const PageMeta = z.object({
  nextCursor: z.string().nullable().describe("Send it as `cursor` to get the next page. Null on the last page."),
});

/** `rows` must contain one row more than a page if there is a next page. `last` is undefined on the last page. */
export function cutPage<Row>(rows: readonly Row[], size: number) {
  const page = rows.slice(0, size);
  return { page, last: rows.length > size ? page.at(-1) : undefined };
}
