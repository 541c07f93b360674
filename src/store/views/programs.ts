import { and, asc, desc, eq, isNull, or, sql } from "drizzle-orm";
import type { ProgramId } from "#domain/ids.ts";
import { type Database, readBatch } from "../database.ts";
import { isRecognized } from "../keys.ts";
import { type ProgramRow, programById } from "../programs.ts";
import { programKeys, programs } from "../schema/programs.ts";
import { type Compiler, param, type RowOf, readAll } from "../statement.ts";

const given = sql.placeholder;

const programsOfWorkspace = readAll<{ workspaceId: string; withArchived: boolean }, ProgramRow>((db) =>
  db
    .select()
    .from(programs)
    .where(and(eq(programs.workspaceId, given("workspaceId")), or(isNull(programs.archivedAt), param("withArchived"))))
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

export async function listPrograms(
  database: Database,
  workspaceId: string,
  withArchived: boolean,
): Promise<readonly ProgramRow[]> {
  return (await readBatch(database, { programs: programsOfWorkspace({ workspaceId, withArchived }) })).programs;
}

export function readProgram(
  database: Database,
  programId: ProgramId,
): Promise<{ readonly program: ProgramRow | undefined; readonly keys: readonly KeyView[] }> {
  return readBatch(database, { program: programById({ id: programId }), keys: keysOfProgram({ programId }) });
}
