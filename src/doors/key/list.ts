import { warnings } from "#http/reply.ts";
import { inSnakeCase, snakeSchema } from "#http/schema/camel-keys.ts";
import * as z from "#http/schema/zod.ts";

export const pageSize = 50;

const meta = z.object({
  next_cursor: z.string().nullable().describe("Send it as `cursor` to get the next page. Null on the last page."),
});

/** Converts a list's rows, which have camelCase names for people, to snake_case. */
export const listOf = <Row extends z.ZodObject>(name: string, row: Row) =>
  z.object({ data: z.array(snakeSchema(row).openapi(name)), meta, ...warnings });

export const listReply = <Row>(rows: readonly Row[], { nextCursor }: { readonly nextCursor: string | null }) => ({
  data: rows.map(inSnakeCase),
  meta: { next_cursor: nextCursor },
});
