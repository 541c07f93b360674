import { and, asc, desc, eq, isNull, or, sql } from "drizzle-orm";
import type { ProgramId, Shard } from "#domain/ids.ts";
import { home, idsPerRange } from "#domain/shard.ts";
import { type Database, readBatch } from "../database.ts";
import { isRecognized } from "../keys.ts";
import { shardsOfWorkspace } from "../places.ts";
import { type ProgramRow, programById } from "../programs.ts";
import { programKeys, programs } from "../schema/programs.ts";
import { type Compiler, param, type RowOf, readAll } from "../statement.ts";

const given = sql.placeholder;

const programsOfWorkspace = readAll<{ workspaceId: string; withArchived: boolean }, ProgramRow>((db) =>
  db
    .select()
    .from(programs)
    .where(
      and(
        eq(programs.workspaceId, given("workspaceId")),
        or(isNull(programs.archivedAt), param("withArchived")),
        sql`${programs.place} in ('here', 'leaving')`,
      ),
    )
    .orderBy(asc(programs.id)),
);

const selectKeys = (db: Compiler) =>
  db
    .select({
      id: programKeys.id,
      lastFour: programKeys.lastFour,
      createdAt: programKeys.createdAt,
      retiresAt: programKeys.retiresAt,
      lastUsedAt: programKeys.lastUsedAt,
    })
    .from(programKeys);
export type KeyView = RowOf<typeof selectKeys>;

const keysOfProgram = readAll<{ programId: ProgramId }, KeyView>((db) =>
  selectKeys(db)
    .where(isRecognized(param("programId")))
    .orderBy(desc(programKeys.createdAt), desc(programKeys.id)),
);

/** Oldest first: home numbers the programs of all shards in their order. Reads home, and then the workspace's other shards at the same time. */
export async function listPrograms(
  databaseOf: (shard: Shard) => Database,
  workspaceId: string,
  withArchived: boolean,
): Promise<readonly ProgramRow[]> {
  const programs = programsOfWorkspace({ workspaceId, withArchived });
  const atHome = await readBatch(databaseOf(home), { programs, others: shardsOfWorkspace({ workspaceId }) });
  const elsewhere = await Promise.all(atHome.others.map(({ shard }) => readBatch(databaseOf(shard), { programs })));
  return [atHome, ...elsewhere]
    .flatMap((found) => found.programs)
    .toSorted((a, b) => (a.id % idsPerRange) - (b.id % idsPerRange));
}

export function readProgram(
  database: Database,
  programId: ProgramId,
): Promise<{ readonly program: ProgramRow | undefined; readonly keys: readonly KeyView[] }> {
  return readBatch(database, { program: programById({ id: programId }), keys: keysOfProgram({ programId }) });
}
