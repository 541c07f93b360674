import { and, eq, sql } from "drizzle-orm";
import { programKeys } from "./schema/programs.ts";
import { everyColumn, param, type Write, write } from "./statement.ts";

export type ProgramKeyRow = typeof programKeys.$inferSelect;

export const insertProgramKey = write<ProgramKeyRow>((db) => db.insert(programKeys).values(everyColumn(programKeys)));

export const retireKey = write<{ id: number; retiresAt: number }>((db) =>
  db
    .update(programKeys)
    .set({ retiresAt: param("retiresAt") })
    .where(eq(programKeys.id, sql.placeholder("id"))),
);

const isLater = sql`coalesce(${programKeys.lastUsedAt}, 0) < used.value`;

const saveLastUse = write<{ used: string }>((db) =>
  db
    .update(programKeys)
    .set({ lastUsedAt: sql`used.value` })
    .from(sql`json_each(${sql.placeholder("used")}) as used`)
    .where(and(eq(programKeys.id, sql`cast(used.key as integer)`), isLater)),
);

/** Takes the hour of last use (its start, ms) by key id. Never replaces a later hour. */
export const updateKeyUse = (hours: ReadonlyMap<number, number>): Write =>
  saveLastUse({ used: JSON.stringify(Object.fromEntries(hours)) });
