import { and, isNotNull, isNull, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { unionAll } from "drizzle-orm/sqlite-core";
import { programs } from "./schema/programs.ts";
import { given, readAll } from "./statement.ts";

type ProgramRow = typeof programs.$inferSelect;

/** The shard on which the program is. See domain/program-place.ts. */
export type PlaceColumns = Pick<ProgramRow, "place" | "leftTo" | "leaveBy" | "moveId">;
export type PlaceOfRow = Pick<ProgramRow, "id"> & PlaceColumns;

const placeOfRow = {
  id: programs.id,
  place: programs.place,
  leftTo: programs.leftTo,
  leaveBy: programs.leaveBy,
  moveId: programs.moveId,
};

/** Programs in an unfinished shard migration, and those with the given ids. */
export const movingPrograms = readAll<{ ids: string; limit: number }, PlaceOfRow>((db) =>
  // A union of two selects, because one select with OR would scan the table.
  unionAll(
    db.select(placeOfRow).from(programs).where(isNotNull(programs.leaveBy)),
    db
      .select(placeOfRow)
      .from(programs)
      .where(and(sql`${programs.id} in (select value from json_each(${given("ids")}))`, isNull(programs.leaveBy))),
  ).limit(given("limit")),
);

/**
 * True if the program is on this shard, and isn't leaving or arriving. A condition for tasks that process all programs
 * of a database.
 */
export const isHere = (programId: SQLWrapper): SQL =>
  sql`exists (select 1 from programs p where p.id = ${programId} and p.place = 'here')`;
