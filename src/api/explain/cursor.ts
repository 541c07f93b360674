import { storyTypes } from "#domain/explain/event-order.ts";
import { cursorOf } from "#http/schema/cursor.ts";
import * as z from "#http/schema/zod.ts";

/** A cursor with the last event of a page. Ids of clicks are strings, all others integers. */
export const storyCursors = cursorOf("explain", {
  type: z.enum(storyTypes),
  id: z.union([z.int().positive(), z.string().regex(/^[\w-]{1,96}$/)]),
  occurredAt: z.int(),
});
