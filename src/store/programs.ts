import { and, asc, desc, eq, isNull, lt, or, sql } from "drizzle-orm";
import { type Database, readAtOnce } from "./database.ts";
import { type PolicyRow, type ProgramRow, programById } from "./manage.ts";
import { partners, referralLinks } from "./schema/partners.ts";
import { commissionPolicies } from "./schema/policies.ts";
import { programKeys, programs } from "./schema/programs.ts";
import { type Compiler, param, readAll, readFirst } from "./statement.ts";

/** What is shown of a key. */
export interface KeyView {
  readonly lastFour: string;
  readonly createdAt: number;
  readonly retiresAt: number | null;
  /** The start of an hour. */
  readonly lastUsedAt: number | null;
}

/** A partner with their link. */
export interface PartnerView {
  readonly id: number;
  readonly code: string;
  readonly name: string;
  readonly email: string | null;
  readonly status: "active" | "paused";
  readonly destinationUrl: string | null;
  /** The program's. */
  readonly websiteUrl: string | null;
  readonly createdAt: number;
}

const given = sql.placeholder;

const programsOfWorkspace = readAll<{ workspaceId: string; withArchived: boolean }, ProgramRow>((db) =>
  db
    .select()
    .from(programs)
    .where(and(eq(programs.workspaceId, given("workspaceId")), or(isNull(programs.archivedAt), param("withArchived"))))
    .orderBy(asc(programs.id)),
);

const keysOfProgram = readAll<{ programId: number }, KeyView>((db) =>
  db
    .select({
      lastFour: programKeys.lastFour,
      createdAt: programKeys.createdAt,
      retiresAt: programKeys.retiresAt,
      lastUsedAt: programKeys.lastUsedAt,
    })
    .from(programKeys)
    .where(eq(programKeys.programId, given("programId")))
    .orderBy(desc(programKeys.createdAt), desc(programKeys.id)),
);

const policiesOfProgram = readAll<{ programId: number }, PolicyRow>((db) =>
  db
    .select()
    .from(commissionPolicies)
    .where(eq(commissionPolicies.programId, given("programId")))
    .orderBy(desc(commissionPolicies.version)),
);

const selectPartners = (db: Compiler) =>
  db
    .select({
      id: partners.id,
      code: referralLinks.code,
      name: partners.name,
      email: partners.email,
      status: partners.status,
      destinationUrl: referralLinks.destinationUrl,
      websiteUrl: programs.websiteUrl,
      createdAt: partners.createdAt,
    })
    .from(partners)
    .innerJoin(referralLinks, eq(referralLinks.partnerId, partners.id))
    .innerJoin(programs, eq(programs.id, partners.programId));

const isOfProgram = and(eq(partners.programId, given("programId")), eq(partners.isSynthetic, false));

const partnersOfProgram = readAll<{ programId: number; before: number; limit: number }, PartnerView>((db) =>
  selectPartners(db)
    .where(and(isOfProgram, lt(partners.id, given("before"))))
    .orderBy(desc(partners.id))
    .limit(given("limit")),
);

const partnerById = readFirst<{ programId: number; id: number }, PartnerView>((db) =>
  selectPartners(db).where(and(isOfProgram, eq(partners.id, given("id")))),
);

export async function listPrograms(
  database: Database,
  workspaceId: string,
  withArchived: boolean,
): Promise<readonly ProgramRow[]> {
  return (await readAtOnce(database, { programs: programsOfWorkspace({ workspaceId, withArchived }) })).programs;
}

/** A program with its keys, the newest first. */
export function readProgram(
  database: Database,
  programId: number,
): Promise<{ readonly program: ProgramRow | undefined; readonly keys: readonly KeyView[] }> {
  return readAtOnce(database, { program: programById({ id: programId }), keys: keysOfProgram({ programId }) });
}

/** Partners whose id is below `before`, the newest first. */
export async function listPartners(
  database: Database,
  programId: number,
  before: number,
  limit: number,
): Promise<readonly PartnerView[]> {
  return (await readAtOnce(database, { found: partnersOfProgram({ programId, before, limit }) })).found;
}

export async function findPartner(database: Database, programId: number, id: number): Promise<PartnerView | undefined> {
  return (await readAtOnce(database, { found: partnerById({ programId, id }) })).found;
}

/** All versions, the newest first. */
export async function listPolicies(database: Database, programId: number): Promise<readonly PolicyRow[]> {
  return (await readAtOnce(database, { found: policiesOfProgram({ programId }) })).found;
}
