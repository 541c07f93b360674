import { beforeAll, describe, expect, it } from "vitest";
import { openClient } from "../../scripts/database/client.ts";
import { isolatedService } from "../support/isolated-service.ts";
import { GrowingBooks, type Shape } from "./audit-growth.ts";
import { seedBooks } from "./audit-seed.ts";

// Uses a database server, because a database file doesn't report how many rows were read.
const own = isolatedService({ runtime: "workerd" });

describe("the work of the audit on twice the rows", { tags: "soak" }, () => {
  const copies = 60;
  let books: GrowingBooks;
  beforeAll(async () => {
    await seedBooks(own);
    books = await GrowingBooks.open(own.database.url, openClient({ url: own.database.url }));
  });

  const shapes: readonly (readonly [string, Shape])[] = [
    ["with one owner each", () => true],
    ["with the same owners", () => false],
    ["with the same partners", (column) => column !== "partner_id"],
  ];
  it.each(shapes)("a rule of the audit takes at most 2.5 times the reads on twice the rows: %s", async (_, shape) => {
    const measured = async (count: number) => {
      await books.fill(shape, count);
      return books.rowsRead();
    };
    const [once, twice] = [await measured(copies), await measured(2 * copies)];
    const grown = [...twice].map(([rule, after]) => ({ rule, before: once.get(rule) ?? 0, after }));
    expect(grown.filter(({ before, after }) => after > 2.5 * before + 100)).toEqual([]);
  });
});
