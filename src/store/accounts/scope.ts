import { and, eq, gt, not, sql } from "drizzle-orm";
import type { ProgramId, Shard } from "#domain/ids.ts";
import type { Role } from "#domain/role.ts";
import { home } from "#domain/shard.ts";
import { type Database, readBatch, readOne } from "../database.ts";
import { type PlaceRow, placeOfProgram } from "../places.ts";
import { memberships } from "../schema/members.ts";
import { programPlaces } from "../schema/places.ts";
import { programs } from "../schema/programs.ts";
import { sessions } from "../schema/users.ts";
import { workspaces } from "../schema/workspaces.ts";
import { type Compiler, type Found, given, type Read, type Reads, readFirst } from "../statement.ts";
import { hasSecondFactor } from "./second-factors.ts";

export interface Membership {
  readonly id: string;
  readonly workspaceId: string;
  readonly role: Role;
  readonly status: "active" | "suspended";
  /**
   * True if the workspace requires a second factor, but this user has none and the identity provider hasn't checked
   * one.
   */
  readonly lacksTwoFactor: boolean;
}

export interface ProgramScope {
  readonly id: ProgramId;
  readonly workspaceId: string;
  readonly name: string;
  readonly currency: string;
  readonly timezone: string;
  readonly shard: Shard;
}

export interface WorkspaceScope {
  readonly id: string;
  readonly name: string;
}

export interface SignedInUser {
  readonly userId: string;
  /** See `sessions.confirmedAt` in the schema. */
  readonly confirmedAt: number;
  readonly signedInAt: number;
  /** The identity with which the user signed in. Null if they used their password. */
  readonly identityId: string | null;
}

/** `user` is undefined if the session is unknown or has ended. */
export interface Scope {
  readonly user: SignedInUser | undefined;
  readonly membership: Membership | undefined;
}

const sessionToken = given("token");

export const userOfSession = readFirst<{ token: string; at: number }, SignedInUser>((db) =>
  db
    .select({
      userId: sessions.userId,
      confirmedAt: sessions.confirmedAt,
      signedInAt: sql<number>`${sessions.createdAt}`,
      identityId: sessions.identityId,
    })
    .from(sessions)
    .where(and(eq(sessions.token, sessionToken), gt(sessions.expiresAt, given("at")))),
);

const membershipColumns = (db: Compiler) => ({
  id: memberships.id,
  workspaceId: memberships.workspaceId,
  role: memberships.role,
  status: memberships.status,
  lacksTwoFactor: sql<boolean>`${and(
    eq(workspaces.requireTwoFactor, true),
    eq(sessions.hasProviderFactor, false),
    not(hasSecondFactor(db, memberships.userId)),
  )}`
    .mapWith(Boolean)
    .as("lacks_two_factor"),
});

const membershipInWorkspace = readFirst<{ token: string; id: string }, Membership>((db) =>
  db
    .select(membershipColumns(db))
    .from(sessions)
    .innerJoin(memberships, eq(memberships.userId, sessions.userId))
    .innerJoin(workspaces, eq(workspaces.id, memberships.workspaceId))
    .where(and(eq(sessions.token, sessionToken), eq(memberships.workspaceId, given("id")))),
);

export const membershipInProgram = readFirst<{ token: string; id: ProgramId }, Membership>((db) =>
  db
    .select(membershipColumns(db))
    .from(sessions)
    .innerJoin(programPlaces, eq(programPlaces.programId, given("id")))
    .innerJoin(
      memberships,
      and(eq(memberships.userId, sessions.userId), eq(memberships.workspaceId, programPlaces.workspaceId)),
    )
    .innerJoin(workspaces, eq(workspaces.id, memberships.workspaceId))
    .where(eq(sessions.token, sessionToken)),
);

const programById = readFirst<{ id: ProgramId }, Omit<ProgramScope, "shard"> & { readonly leftTo: Shard | null }>(
  (db) =>
    db
      .select({
        id: programs.id,
        workspaceId: programs.workspaceId,
        name: programs.name,
        currency: programs.currency,
        timezone: programs.timezone,
        leftTo: programs.leftTo,
      })
      .from(programs)
      .where(eq(programs.id, given("id"))),
);

const workspaceById = readFirst<{ id: string }, WorkspaceScope>((db) =>
  db
    .select({ id: workspaces.id, name: workspaces.name })
    .from(workspaces)
    .where(eq(workspaces.id, given("id"))),
);

export async function findUser(
  database: Database,
  sessionToken: string,
  at: number,
): Promise<SignedInUser | undefined> {
  return await readOne(database, userOfSession({ token: sessionToken, at }));
}

interface Placed {
  readonly leftTo: Shard | null;
}

/**
 * Reads the home database and the program's presumed shard concurrently. If the program is on another shard, this takes
 * one more database request.
 */
export async function readHomeAndProgram<Home extends Reads, Program extends Reads>(
  databaseOf: (shard: Shard) => Database,
  { id, guess }: { readonly id: ProgramId; readonly guess: Shard },
  ofHome: Home,
  ofProgram: Program & { readonly program: Read<Placed | undefined> },
): Promise<{ readonly atHome: Found<Home>; readonly there: Found<Program>; readonly shard: Shard }> {
  const readAt = async (shard: Shard) => {
    const found = await readBatch(databaseOf(shard), ofProgram);
    return { there: found as Found<Program>, leftTo: (found.program as Placed | undefined)?.leftTo };
  };
  const readHome = async () => {
    const found = await readBatch(databaseOf(home), { ...ofHome, ...ofProgram, place: placeOfProgram({ id }) });
    const leftTo = (found.program as Placed | undefined)?.leftTo;
    return {
      atHome: found as Found<Home>,
      there: found as Found<Program>,
      leftTo,
      place: found.place as PlaceRow | undefined,
    };
  };
  const [found, guessed] = await Promise.all([readHome(), guess === home ? undefined : readAt(guess)]);
  const shard = found.place?.shard ?? home;
  const placed = shard === home ? found : ((shard === guess ? guessed : undefined) ?? (await readAt(shard)));
  // The program has left `shard`, but the home database doesn't have its new shard: it wasn't informed yet, or was
  // restored from a backup.
  if (placed.leftTo == null) return { atHome: found.atHome, there: placed.there, shard };
  return { atHome: found.atHome, there: (await readAt(placed.leftTo)).there, shard: placed.leftTo };
}

/** Reads the program from its presumed shard. If the program isn't there, also reads the home database. */
export async function readProgramAnywhere<Program extends Reads>(
  databaseOf: (shard: Shard) => Database,
  { id, guess }: { readonly id: ProgramId; readonly guess: Shard },
  ofProgram: Program & { readonly program: Read<Placed | undefined> },
): Promise<{ readonly there: Found<Program>; readonly shard: Shard }> {
  const found = await readBatch(databaseOf(guess), ofProgram);
  const program = found.program as Placed | undefined;
  if (program?.leftTo === null) return { there: found as Found<Program>, shard: guess };
  return readHomeAndProgram(databaseOf, { id, guess }, {}, ofProgram);
}

export async function loadProgramScope(
  databaseOf: (shard: Shard) => Database,
  { token, id, at }: { readonly token: string; readonly id: ProgramId; readonly at: number },
  guess: Shard,
): Promise<Scope & { readonly program: ProgramScope | undefined }> {
  const { atHome, there, shard } = await readHomeAndProgram(
    databaseOf,
    { id, guess },
    { user: userOfSession({ token, at }), membership: membershipInProgram({ token, id }) },
    { program: programById({ id }) },
  );
  return { ...atHome, program: there.program && { ...there.program, shard } };
}

export async function loadWorkspaceScope(
  database: Database,
  { token, id, at }: { readonly token: string; readonly id: string; readonly at: number },
): Promise<Scope & { readonly workspace: WorkspaceScope | undefined }> {
  return readBatch(database, {
    user: userOfSession({ token, at }),
    membership: membershipInWorkspace({ token, id }),
    workspace: workspaceById({ id }),
  });
}
