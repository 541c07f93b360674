import { and, asc, count, desc, eq, getTableColumns, isNotNull, ne, sql } from "drizzle-orm";
import type { MoveId, ProgramId, Shard } from "#domain/ids.ts";
import { home } from "#domain/shard.ts";
import { type Database, readOne } from "./database.ts";
import { programPlaces } from "./schema/places.ts";
import { programMoves, shards } from "./schema/shards.ts";
import { workspaces } from "./schema/workspaces.ts";
import { given, readAll, readCount, readFirst, update, write } from "./statement.ts";

// These queries need the home database.

export type PlaceRow = typeof programPlaces.$inferSelect;
export type ShardRow = typeof shards.$inferSelect;

export const placeOfProgram = readFirst<{ id: ProgramId }, PlaceRow>((db) =>
  db
    .select()
    .from(programPlaces)
    .where(eq(programPlaces.programId, given("id"))),
);

/** The row of the program that this operation created on another shard. */
export const placeOfOperation = readFirst<{ operationId: string }, PlaceRow>((db) =>
  db
    .select()
    .from(programPlaces)
    .where(eq(programPlaces.operationId, given("operationId"))),
);

/** Counts the workspace's programs on all shards. */
export const programCount = readCount<{ workspaceId: string }>((db) =>
  db
    .select({ n: count() })
    .from(programPlaces)
    .where(eq(programPlaces.workspaceId, given("workspaceId"))),
);

/** Shards with programs of the workspace, except the home shard. */
export const shardsOfWorkspace = readAll<{ workspaceId: string }, { shard: Shard }>((db) =>
  db
    .selectDistinct({ shard: programPlaces.shard })
    .from(programPlaces)
    .where(and(eq(programPlaces.workspaceId, given("workspaceId")), ne(programPlaces.shard, sql.raw(String(home))))),
);

/** The shard of the workspace's newest program. */
export const newestShardOf = readFirst<{ workspaceId: string }, { shard: Shard }>((db) =>
  db
    .select({ shard: programPlaces.shard })
    .from(programPlaces)
    .where(eq(programPlaces.workspaceId, given("workspaceId")))
    .orderBy(desc(programPlaces.createdAt), desc(programPlaces.programId))
    .limit(1),
);

export type ShardLoad = ShardRow & { readonly programs: number };

export const shardLoads = readAll<Record<string, never>, ShardLoad>((db) =>
  db
    .select({
      ...getTableColumns(shards),
      programs: sql<number>`(select count(*) from ${programPlaces} where ${programPlaces.shard} = ${shards.number})`,
    })
    .from(shards)
    .orderBy(asc(shards.number)),
);

export const readShardLoads = async (database: Database): Promise<readonly ShardLoad[]> =>
  await readOne(database, shardLoads({}));

/**
 * A stub row, so that programs on another shard can refer to their workspace. Only the home database has the
 * workspace's name and members.
 */
export const insertWorkspaceStub = write<{ id: string; at: number }>((db) =>
  db
    .insert(workspaces)
    .values({ id: given("id"), name: "", createdAt: given("at") })
    .onConflictDoNothing(),
);

export const updatePlace = update(programPlaces, ["programId"], ["websiteUrl", "isArchived"]);

export const setShard = update(programPlaces, ["programId"], ["shard", "moveId"]);

/** Programs that were created on one shard and are, or were, on another. */
const movedPrograms = readAll<Record<string, never>, MovedProgram>((db) =>
  db
    .select({ id: programPlaces.programId, shard: programPlaces.shard, moveId: sql<MoveId>`${programPlaces.moveId}` })
    .from(programPlaces)
    .where(isNotNull(programPlaces.moveId)),
);

export interface MovedProgram {
  readonly id: ProgramId;
  readonly shard: Shard;
  readonly moveId: MoveId;
}

export const readMovedPrograms = async (database: Database): Promise<readonly MovedProgram[]> =>
  await readOne(database, movedPrograms({}));

export const endMove = update(programMoves, ["id"], ["state", "endedAt"]);
