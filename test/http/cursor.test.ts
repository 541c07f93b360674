import { describe, expect, test } from "vitest";
import { cursorOf } from "#http/schema/cursor.ts";
import * as z from "#http/schema/zod.ts";

const cursors = cursorOf("events", { kind: z.enum(["click", "sale"]), id: z.int().positive() });
const textOf = (text: string): string => Buffer.from(text).toString("base64url");

describe("a cursor", () => {
  test("a cursor contains only the position of the page's last entry", () => {
    const { meta, page } = cursors.pageOf([1, 2, 3], 2, (id) => ({ kind: "sale" as const, id, amountCents: 100 }));
    expect(page).toEqual([1, 2]);
    expect(cursors.parameter().parse(meta.nextCursor)).toEqual({ kind: "sale", id: 2 });
  });

  test("a cursor is absent after the last page", () => {
    const { meta, next } = cursors.pageOf([1, 2], 2, (id) => ({ kind: "sale" as const, id }));
    expect([meta.nextCursor, next]).toEqual([null, undefined]);
    expect(cursors.parameter().parse(undefined)).toBeUndefined();
  });

  test.each([
    ["empty", ""],
    ["not JSON", "abc"],
    ["not a list", textOf('{"kind":"sale","id":1}')],
    ["of another list", textOf('["audit","sale",1]')],
    ["of an unknown kind", textOf('["events","view",1]')],
    ["out of range", textOf('["events","sale",9007199254740993]')],
    ["of another type", textOf('["events","sale","1"]')],
    ["too short", textOf('["events","sale"]')],
    ["too long", textOf('["events","sale",1,2]')],
    ["spelled differently", textOf('["events","sale", 1]')],
    ["padded", `${textOf('["events","sale",1]')}==`],
  ])("a cursor is refused if it is %s", (_, text) => {
    expect(cursors.parameter("next_cursor").safeParse(text).error?.issues).toMatchObject([
      { message: "cursor must be a next_cursor from a previous page" },
    ]);
  });
});
