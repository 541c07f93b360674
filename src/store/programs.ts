import { and, eq, isNotNull, isNull, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { unionAll } from "drizzle-orm/sqlite-core";
import type { MoveId, ProgramId, Shard } from "#domain/ids.ts";
import { programs } from "./schema/programs.ts";
import { everyColumn, insert, param, readAll, readFirst, update, write } from "./statement.ts";

export type ProgramRow = typeof programs.$inferSelect;

const hasId = eq(programs.id, sql.placeholder("id"));

export const programById = readFirst<{ id: ProgramId }, ProgramRow>((db) => db.select().from(programs).where(hasId));

/** Where the program is; see domain/program-place.ts. */
export type PlaceColumns = Pick<ProgramRow, "place" | "leftTo" | "leaveBy" | "moveId">;
export type PlaceOfRow = Pick<ProgramRow, "id"> & PlaceColumns;

export const updatePlaceOfRow = update(programs, ["id"], ["place", "leftTo", "leaveBy", "moveId"]);

const placeOfRow = {
  id: programs.id,
  place: programs.place,
  leftTo: programs.leftTo,
  leaveBy: programs.leaveBy,
  moveId: programs.moveId,
};

/** Has a program that this database still has, because it was restored, be where a move took it. */
export const leaveAgain = write<{ id: ProgramId; to: Shard; moveId: MoveId }>((db) =>
  db
    .update(programs)
    .set({ place: "left", leftTo: sql`${param("to")}`, leaveBy: null, moveId: sql`${param("moveId")}` })
    .where(
      and(
        eq(programs.id, sql.placeholder("id")),
        sql`${programs.place} <> 'left'`,
        sql`coalesce(${programs.moveId}, 0) < ${param("moveId")}`,
      ),
    ),
);

/** Those whose move isn't over, and these. */
export const movingPrograms = readAll<{ ids: string; limit: number }, PlaceOfRow>((db) =>
  unionAll(
    db.select(placeOfRow).from(programs).where(isNotNull(programs.leaveBy)),
    db
      .select(placeOfRow)
      .from(programs)
      .where(
        and(sql`${programs.id} in (select value from json_each(${sql.placeholder("ids")}))`, isNull(programs.leaveBy)),
      ),
  ).limit(sql.placeholder("limit")),
);

export const insertProgram = insert<ProgramRow>((db) => db.insert(programs).values(everyColumn(programs)));

export const updateProgram = update(
  programs,
  ["id"],
  [
    "name",
    "websiteUrl",
    "currency",
    "timezone",
    "leadAuth",
    "attributionModel",
    "attributionWindowDays",
    "windowUntil",
    "cookieWindowDays",
    "payoutMode",
    "minimumPayoutCents",
    "payoutTerms",
    "payoutApproval",
    "status",
    "archivedAt",
  ],
);

/** For work over all programs of a database: another shard does it for those that left, and none while one moves. */
export const isHere = (programId: SQLWrapper): SQL =>
  sql`exists (select 1 from programs p where p.id = ${programId} and p.place = 'here')`;
