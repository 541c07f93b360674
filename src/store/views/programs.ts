import { and, asc, desc, eq, isNull, lt, or, sql } from "drizzle-orm";
import type { KeyId, ProgramId, Shard } from "#domain/ids.ts";
import type { Issuer } from "#domain/issuer.ts";
import type { Payer } from "#domain/payer.ts";
import { home, idsPerRange } from "#domain/shard.ts";
import { type Database, readBatch, readOne } from "../database.ts";
import { isRecognized } from "../keys.ts";
import { shardsOfWorkspace } from "../places.ts";
import { type ProgramRow, programById } from "../programs.ts";
import { programKeys, programs } from "../schema/programs.ts";
import { type Compiler, given, type RowOf, readAll, readFirst, unencoded } from "../statement.ts";

const programsOfWorkspace = readAll<{ workspaceId: string; withArchived: boolean }, ProgramRow>((db) =>
  db
    .select()
    .from(programs)
    .where(
      and(
        eq(programs.workspaceId, given("workspaceId")),
        or(isNull(programs.archivedAt), unencoded("withArchived")),
        sql`${programs.place} in ('here', 'leaving')`,
      ),
    )
    .orderBy(asc(programs.id)),
);

const selectKeys = (db: Compiler) =>
  db
    .select({
      id: programKeys.id,
      programId: programKeys.programId,
      originId: programKeys.originId,
      name: programKeys.name,
      scopes: programKeys.scopes,
      book: programKeys.book,
      lastFour: programKeys.lastFour,
      createdAt: programKeys.createdAt,
      retiresAt: programKeys.retiresAt,
      lastUsedAt: programKeys.lastUsedAt,
    })
    .from(programKeys);
export type KeyView = RowOf<typeof selectKeys>;

const isKeyOfProgram = isRecognized(unencoded("programId"));

const keysBefore = readAll<{ programId: ProgramId; before: number; limit: number }, KeyView>((db) =>
  selectKeys(db)
    .where(and(isKeyOfProgram, lt(programKeys.id, given("before"))))
    .orderBy(desc(programKeys.id))
    .limit(given("limit")),
);

const keyById = readFirst<{ programId: ProgramId; id: KeyId }, KeyView>((db) =>
  selectKeys(db).where(and(eq(programKeys.programId, given("programId")), eq(programKeys.id, given("id")))),
);

const keysOfProgram = readAll<{ programId: ProgramId }, KeyView>((db) =>
  selectKeys(db).where(isKeyOfProgram).orderBy(desc(programKeys.createdAt), desc(programKeys.id)),
);

/**
 * Lists the programs oldest first, by id, because the home shard assigns the ids of all programs. Reads the home
 * database, then the workspace's other shards concurrently.
 */
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

export const payerOf = ({
  payerName,
  payerIban,
  payerBic,
}: Pick<ProgramRow, "payerName" | "payerIban" | "payerBic">): Payer | null =>
  payerName === null || payerIban === null ? null : { name: payerName, iban: payerIban, bic: payerBic };

type IssuerColumns = Pick<ProgramRow, "issuerName" | "issuerAddress" | "issuerTaxId">;

export const issuerOf = ({ issuerName, issuerAddress, issuerTaxId }: IssuerColumns): Issuer | null =>
  issuerName === null || issuerAddress === null
    ? null
    : { name: issuerName, address: issuerAddress, taxId: issuerTaxId };

export async function readPayer(database: Database, programId: ProgramId): Promise<Payer | null> {
  const program = await readOne(database, programById({ id: programId }));
  return program === undefined ? null : payerOf(program);
}

export function readProgram(
  database: Database,
  programId: ProgramId,
): Promise<{ readonly program: ProgramRow | undefined; readonly keys: readonly KeyView[] }> {
  return readBatch(database, { program: programById({ id: programId }), keys: keysOfProgram({ programId }) });
}

export async function listKeys(
  database: Database,
  programId: ProgramId,
  position: { readonly before: number; readonly limit: number },
): Promise<readonly KeyView[]> {
  return await readOne(database, keysBefore({ programId, ...position }));
}

const namesOfHashes = readAll<{ programId: ProgramId; hashes: string }, { hash: string; name: string }>((db) =>
  db
    .select({ hash: programKeys.hash, name: programKeys.name })
    .from(programKeys)
    .where(
      and(
        eq(programKeys.programId, given("programId")),
        sql`${programKeys.hash} in (select value from json_each(${unencoded("hashes")}))`,
      ),
    ),
);

/** Returns the names of keys, by key hash. */
export async function keyNamesOf(
  database: Database,
  programId: ProgramId,
  hashes: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const found = await readOne(database, namesOfHashes({ programId, hashes: JSON.stringify(hashes) }));
  return new Map(found.map(({ hash, name }) => [hash, name]));
}

export async function findKey(database: Database, programId: ProgramId, id: KeyId): Promise<KeyView | undefined> {
  return await readOne(database, keyById({ programId, id }));
}
