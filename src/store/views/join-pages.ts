import { and, asc, desc, eq, isNull, lt, ne, sql } from "drizzle-orm";
import type { ApplicationId, ProgramId, Shard } from "#domain/ids.ts";
import { readHomeAndProgram } from "../accounts/scope.ts";
import { type Database, readOne } from "../database.ts";
import { applicationsOfIds, joinPageOf, newestTerms, type TermsRow, termsBefore } from "../join-pages.ts";
import { textOfNote } from "../notes.ts";
import { latestPolicy, type PolicyRow } from "../policies.ts";
import { programById } from "../programs.ts";
import { applications } from "../schema/applications.ts";
import { joinPages } from "../schema/join-pages.ts";
import { commissionPolicies } from "../schema/policies.ts";
import { programs } from "../schema/programs.ts";
import { type Compiler, given, type RowOf, readAll, readFirst } from "../statement.ts";
import { bonusesAt } from "./policy-now.ts";

const { programId: ofProgram, partnerId, groupId, effectiveFrom, version } = commissionPolicies;

/** The newest policy of the page's group, or of the program if the page has no group. */
const latestPolicyOfPage = readFirst<{ programId: ProgramId }, PolicyRow>((db) =>
  db
    .select()
    .from(commissionPolicies)
    .where(
      and(
        eq(ofProgram, given("programId")),
        isNull(partnerId),
        sql`${groupId} is (select ${joinPages.groupId} from ${joinPages} where ${joinPages.programId} = ${given("programId")})`,
      ),
    )
    .orderBy(desc(effectiveFrom), desc(version))
    .limit(1),
);

/** Reads the public data of a program on any shard. `at` is now (ms). */
export async function readJoinPage(
  databaseOf: (shard: Shard) => Database,
  { programId, at }: { readonly programId: ProgramId; readonly at: number },
  guess: Shard,
) {
  const { there } = await readHomeAndProgram(
    databaseOf,
    { id: programId, guess },
    {},
    {
      program: programById({ id: programId }),
      page: joinPageOf({ programId }),
      terms: newestTerms({ programId }),
      policy: latestPolicy({ programId, partnerId: null, groupId: null }),
      policyOfPage: latestPolicyOfPage({ programId }),
      bonuses: bonusesAt({ programId, at }),
    },
  );
  return there;
}

export async function readOwnJoinPage(database: Database, programId: ProgramId) {
  return await readOne(database, joinPageOf({ programId }));
}

export async function listTerms(
  database: Database,
  programId: ProgramId,
  position: { readonly before: number; readonly limit: number },
): Promise<readonly TermsRow[]> {
  return await readOne(database, termsBefore({ programId, ...position }));
}

export async function readNewestTerms(database: Database, programId: ProgramId): Promise<TermsRow | undefined> {
  return await readOne(database, newestTerms({ programId }));
}

const selectApplications = (db: Compiler) =>
  db
    .select({
      id: applications.id,
      accountId: applications.accountId,
      name: applications.name,
      website: applications.website,
      answers: applications.answers,
      termsVersion: applications.termsVersion,
      status: applications.status,
      partnerId: applications.partnerId,
      partnerNote: textOfNote(applications.partnerNoteId).as("partner_note"),
      decidedAt: applications.decidedAt,
      openedOn: applications.openedOn,
      createdAt: applications.createdAt,
    })
    .from(applications);
export type ApplicationView = RowOf<typeof selectApplications>;

const applicationsOf = readAll<
  { programId: ProgramId; status: string | null; before: number; limit: number },
  ApplicationView
>((db) =>
  selectApplications(db)
    .where(
      and(
        eq(applications.programId, given("programId")),
        sql`(${given("status")} is null or ${applications.status} = ${given("status")})`,
        lt(applications.id, given("before")),
        ne(applications.name, ""),
      ),
    )
    .orderBy(desc(applications.id))
    .limit(given("limit")),
);

export const applicationOf = readFirst<{ programId: ProgramId; accountId: string }, ApplicationView>((db) =>
  selectApplications(db).where(
    and(
      eq(applications.programId, given("programId")),
      eq(applications.accountId, given("accountId")),
      ne(applications.name, ""),
    ),
  ),
);

export async function readOwnApplication(
  databaseOf: (shard: Shard) => Database,
  asked: { readonly programId: ProgramId; readonly accountId: string },
  guess: Shard,
): Promise<ApplicationView | undefined> {
  const { programId: id } = asked;
  const { there } = await readHomeAndProgram(
    databaseOf,
    { id, guess },
    {},
    { program: programById({ id }), application: applicationOf(asked) },
  );
  return there.application;
}

export interface PendingApplication {
  readonly programId: ProgramId;
  readonly programName: string;
}

const maxPending = 20;

const pendingOfAccount = readAll<{ accountId: string }, PendingApplication>((db) =>
  db
    .select({ programId: applications.programId, programName: programs.name })
    .from(applications)
    .innerJoin(programs, eq(programs.id, applications.programId))
    .where(
      and(
        eq(applications.accountId, given("accountId")),
        eq(applications.status, "pending"),
        isNull(programs.archivedAt),
        sql`${programs.place} in ('here', 'leaving')`,
      ),
    )
    .orderBy(asc(applications.createdAt), asc(applications.id))
    .limit(maxPending),
);

/** Returns the account's undecided applications to this database's programs, earliest first. */
export async function readPendingApplications(
  database: Database,
  accountId: string,
): Promise<readonly PendingApplication[]> {
  return await readOne(database, pendingOfAccount({ accountId }));
}

export async function listApplications(
  database: Database,
  programId: ProgramId,
  asked: { readonly status: string | null; readonly before: number; readonly limit: number },
): Promise<readonly ApplicationView[]> {
  return await readOne(database, applicationsOf({ programId, ...asked }));
}

export async function findApplications(database: Database, programId: ProgramId, ids: readonly ApplicationId[]) {
  return await readOne(database, applicationsOfIds({ programId, ids: JSON.stringify(ids) }));
}
