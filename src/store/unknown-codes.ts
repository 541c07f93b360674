import { and, desc, eq, gte, sql } from "drizzle-orm";
import type { Book } from "#domain/book.ts";
import type { ProgramId } from "#domain/ids.ts";
import { type Database, readOne } from "./database.ts";
import { isHere } from "./program-place.ts";
import { unknownCodes } from "./schema/unknown-codes.ts";
import { given, readAll, unencoded, type Write, write } from "./statement.ts";

export type UnknownCodeRow = typeof unknownCodes.$inferSelect;

const addLandings = write<{ counts: string }>((db) =>
  db
    .insert(unknownCodes)
    .select(
      sql`select value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4
        from json_each(${given("counts")}) where ${isHere(sql`value ->> 0`)}`,
    )
    .onConflictDoUpdate({
      target: [unknownCodes.programId, unknownCodes.isTest, unknownCodes.day, unknownCodes.code],
      set: { landings: sql`${unknownCodes.landings} + excluded.landings` },
    }),
);

/** Adds the landings of each row to the total of its code and day. */
export const countUnknownCodes = (rows: readonly UnknownCodeRow[]): Write =>
  addLandings({
    counts: JSON.stringify(
      rows.map(({ programId, isTest, day, code, landings }) => [programId, Number(isTest), day, code, landings]),
    ),
  });

type OfBook = { programId: ProgramId; isTest: boolean };

const selectSince = readAll<OfBook & { since: string }, Pick<UnknownCodeRow, "day" | "code" | "landings">>((db) =>
  db
    .select({ day: unknownCodes.day, code: unknownCodes.code, landings: unknownCodes.landings })
    .from(unknownCodes)
    .where(
      and(
        eq(unknownCodes.programId, given("programId")),
        eq(unknownCodes.isTest, unencoded("isTest")),
        gte(unknownCodes.day, given("since")),
      ),
    )
    .orderBy(desc(unknownCodes.day), desc(unknownCodes.landings), unknownCodes.code),
);

/** Newest day first, and within a day most landings first. `since` is the first day. */
export async function readUnknownCodes(database: Pick<Database, "read">, book: Book, since: string) {
  const found = await readOne(database, selectSince({ ...book, since }));
  return found;
}
