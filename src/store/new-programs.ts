import { and, eq, sql } from "drizzle-orm";
import type { PlaceRow } from "./places.ts";
import type { ProgramRow } from "./programs.ts";
import { memberships } from "./schema/members.ts";
import { programPlaces } from "./schema/places.ts";
import { programs } from "./schema/programs.ts";
import { type Compiler, everyColumn, given, readFirst, write } from "./statement.ts";

// Memberships are only in the home database, and are written without the Ledger. They may change between the Ledger's
// read and its write, so these inserts check the membership again.

type Creator = { readonly workspaceId: string; readonly actorId: string };

const selectMembership = (db: Compiler) =>
  db
    .select({ workspaceId: memberships.workspaceId })
    .from(memberships)
    .where(
      and(
        eq(memberships.workspaceId, given("workspaceId")),
        eq(memberships.userId, given("actorId")),
        eq(memberships.status, "active"),
      ),
    );

export const activeMembership = readFirst<Creator, Pick<Creator, "workspaceId">>(selectMembership);

/** Null if the creator is no longer a member. The column is NOT NULL, so the insert then fails. */
const workspaceOfCreator = (db: Compiler) => sql`(${selectMembership(db)})`;

export const insertProgramOfMember = write<ProgramRow & Creator>((db) =>
  db.insert(programs).values({ ...everyColumn(programs), workspaceId: workspaceOfCreator(db) }),
);

export const insertPlaceOfMember = write<PlaceRow & Creator>((db) =>
  db.insert(programPlaces).values({ ...everyColumn(programPlaces), workspaceId: workspaceOfCreator(db) }),
);
