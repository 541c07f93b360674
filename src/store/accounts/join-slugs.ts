import { and, eq } from "drizzle-orm";
import type { ProgramId } from "#domain/ids.ts";
import { type Database, readOne } from "../database.ts";
import { writeWithRetry } from "../retrying-write.ts";
import { joinSlugs } from "../schema/join-pages.ts";
import { everyColumn, given, insert, readFirst, write } from "../statement.ts";

// The home database's index of join pages by slug. The row in the program's database is authoritative.

const programOfSlug = readFirst<{ slug: string }, { programId: ProgramId }>((db) =>
  db
    .select({ programId: joinSlugs.programId })
    .from(joinSlugs)
    .where(eq(joinSlugs.slug, given("slug"))),
);

const insertSlug = insert<typeof joinSlugs.$inferSelect>((db) =>
  db.insert(joinSlugs).values(everyColumn(joinSlugs)).onConflictDoNothing(),
);

const deleteSlug = write<{ slug: string; programId: ProgramId }>((db) =>
  db.delete(joinSlugs).where(and(eq(joinSlugs.programId, given("programId")), eq(joinSlugs.slug, given("slug")))),
);

export async function findSlug(database: Database, slug: string): Promise<ProgramId | undefined> {
  return (await readOne(database, programOfSlug({ slug })))?.programId;
}

/** Call this before the program's page is saved with the slug. Returns false if another program uses the slug. */
export async function reserveSlug(database: Database, slug: string, programId: ProgramId): Promise<boolean> {
  const read = programOfSlug({ slug });
  const [, rows = []] = await writeWithRetry(database, [insertSlug({ slug, programId }), read]);
  return read.decode(rows)?.programId === programId;
}

/** Call this after the program's page was saved with another slug. */
export async function releaseSlug(database: Database, slug: string, programId: ProgramId): Promise<void> {
  await writeWithRetry(database, [deleteSlug({ slug, programId })]);
}
