import { and, eq, inArray, type SQL, sql } from "drizzle-orm";
import type { KeyId } from "#domain/ids.ts";
import { maxRetiredKeys } from "#domain/program-key.ts";
import { programKeys } from "./schema/programs.ts";
import { everyColumn, insert, readFirst, update, type Write, write } from "./statement.ts";

export type ProgramKeyRow = typeof programKeys.$inferSelect;

/** Live keys, and those that retire or retired last: one may still be live. */
export const isRecognized = (programId: SQL): SQL =>
  inArray(
    programKeys.id,
    sql`(
      select k.id from ${programKeys} k where k.program_id = ${programId} and k.retires_at is null
      union all select id from (
        select k.id from ${programKeys} k where k.program_id = ${programId} and k.retires_at is not null
        order by k.retires_at desc, k.id desc limit ${sql.raw(String(maxRetiredKeys + 1))}
      )
    )`,
  );

export const insertProgramKey = insert<ProgramKeyRow>((db) => db.insert(programKeys).values(everyColumn(programKeys)));

export const lastFourOfKey = readFirst<{ id: KeyId }, { lastFour: string }>((db) =>
  db
    .select({ lastFour: programKeys.lastFour })
    .from(programKeys)
    .where(eq(programKeys.id, sql.placeholder("id"))),
);

export const retireKey = update(programKeys, ["id"], ["retiresAt"]);

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
