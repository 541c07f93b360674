import { and, eq, ne, sql } from "drizzle-orm";
import { maxCodeOwners } from "#domain/code-owner.ts";
import type { ProgramId } from "#domain/ids.ts";
import { home } from "#domain/shard.ts";
import { foreignCodes, programPlaces } from "./schema/places.ts";
import { given, readAll, update, write } from "./statement.ts";

// These queries need the home database.

/** A program on another shard that has the code. */
export interface ForeignOwner {
  readonly programId: ProgramId;
  readonly websiteUrl: string | null;
  readonly destinationUrl: string | null;
}

/**
 * Excludes archived programs. Returns at most `maxCodeOwners + 1` rows, so that the caller finds out if there are more.
 */
export const foreignOwners = readAll<{ codeKey: string }, ForeignOwner>((db) =>
  db
    .select({
      programId: foreignCodes.programId,
      websiteUrl: programPlaces.websiteUrl,
      destinationUrl: foreignCodes.destinationUrl,
    })
    .from(foreignCodes)
    .innerJoin(programPlaces, eq(programPlaces.programId, foreignCodes.programId))
    .where(
      and(
        eq(foreignCodes.codeKey, given("codeKey")),
        eq(programPlaces.isArchived, false),
        ne(programPlaces.shard, sql.raw(String(home))),
      ),
    )
    .limit(maxCodeOwners + 1),
);

type ForeignCode = typeof foreignCodes.$inferSelect;

/** Does nothing if the program already has the code. */
export const insertForeignCode = write<ForeignCode>((db) =>
  db
    .insert(foreignCodes)
    .values({ codeKey: given("codeKey"), programId: given("programId"), destinationUrl: given("destinationUrl") })
    .onConflictDoNothing(),
);

export const deleteForeignCode = write<Pick<ForeignCode, "codeKey" | "programId">>((db) =>
  db
    .delete(foreignCodes)
    .where(and(eq(foreignCodes.codeKey, given("codeKey")), eq(foreignCodes.programId, given("programId")))),
);

export const updateForeignCode = update(foreignCodes, ["codeKey", "programId"], ["destinationUrl"]);
