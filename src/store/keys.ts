import { and, asc, eq, inArray, isNull, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { caps } from "#domain/caps.ts";
import type { KeyId, ProgramId } from "#domain/ids.ts";
import { type KeyGrant, type KeyScope, maxRetiredKeys } from "#domain/program-key.ts";
import { programKeys } from "./schema/programs.ts";
import { everyColumn, given, insert, readFirst, update, type Write, write } from "./statement.ts";

export type ProgramKeyRow = typeof programKeys.$inferSelect;

/** Active keys, and the most recently rotated ones, some of which may still be valid. */
export const isRecognized = (programId: SQL): SQL =>
  inArray(
    programKeys.id,
    sql`(
      select k.id from ${programKeys} k where k.program_id = ${programId} and k.retires_at is null
      union all select id from (
        select k.id from ${programKeys} k where k.program_id = ${programId} and k.retires_at is not null
        order by k.retires_at desc, k.id desc limit ${sql.raw(String(maxRetiredKeys + caps.keys.max + 1))}
      )
    )`,
  );

/** The name of a key of the program. Null if there is no id. */
export const nameOfKey = (keyId: SQLWrapper, ofProgram: SQLWrapper): SQL<string | null> =>
  sql<string | null>`(select k.name from ${programKeys} k where k.id = ${keyId} and k.program_id = ${ofProgram})`;

/**
 * The name of the key that made a change. With kind `embed`, the name of the key that issued the referral page's token.
 */
export const nameOfKeyActor = (actorId: SQLWrapper, ofProgram: SQLWrapper, kind: "key" | "embed" = "key"): SQL =>
  sql`(
    select k.name from ${programKeys} k
    where ${actorId} like ${sql.raw(`'${kind} %'`)} and k.id = cast(substr(${actorId}, ${sql.raw(String(kind.length + 2))}) as integer)
      and k.program_id = ${ofProgram})`;

export const insertProgramKey = insert<ProgramKeyRow>((db) => db.insert(programKeys).values(everyColumn(programKeys)));

export const lastFourOfKey = readFirst<{ id: KeyId }, { lastFour: string }>((db) =>
  db
    .select({ lastFour: programKeys.lastFour })
    .from(programKeys)
    .where(eq(programKeys.id, given("id"))),
);

/** The key that was created with the program (`api_token`). */
export const firstKeyOf = readFirst<{ programId: ProgramId }, { id: KeyId } & KeyGrant>((db) =>
  db
    .select({ id: programKeys.id, name: programKeys.name, scopes: programKeys.scopes, book: programKeys.book })
    .from(programKeys)
    .where(and(eq(programKeys.programId, given("programId")), isNull(programKeys.originId)))
    .orderBy(asc(programKeys.id))
    .limit(1),
);

export const retireKey = update(programKeys, ["id"], ["retiresAt"]);

/** Updates a key and all keys of its rotations. */
export const updateGrant = write<{ programId: ProgramId; originId: KeyId; name: string; scopes: readonly KeyScope[] }>(
  (db) =>
    db
      .update(programKeys)
      .set({
        name: sql`${given("name")}`,
        scopes: sql`${sql.param(given("scopes"), programKeys.scopes)}`,
      })
      .where(
        and(
          eq(programKeys.programId, given("programId")),
          sql`coalesce(${programKeys.originId}, ${programKeys.id}) = ${given("originId")}`,
        ),
      ),
);

const isLater = sql`coalesce(${programKeys.lastUsedAt}, 0) < used.value`;

const saveLastUse = write<{ used: string }>((db) =>
  db
    .update(programKeys)
    .set({ lastUsedAt: sql`used.value` })
    .from(sql`json_each(${given("used")}) as used`)
    .where(and(eq(programKeys.id, sql`cast(used.key as integer)`), isLater)),
);

/**
 * Stores when keys were last used. `hours` maps key id to the beginning of the hour (ms). If a later hour is already
 * stored for a key, it stays.
 */
export const updateKeyUse = (hours: ReadonlyMap<number, number>): Write =>
  saveLastUse({ used: JSON.stringify(Object.fromEntries(hours)) });
