import { readFromDatabase, readFromShards } from "#api/read-database.ts";
import type { ProgramId } from "#domain/ids.ts";
import { isShownIn } from "#domain/join-page.ts";
import { programStatus } from "#domain/program-status.ts";
import { ok, type Result, refused } from "#domain/result.ts";
import type { Ctx } from "#http/context.ts";
import { shardOfProgram } from "#http/places.ts";
import { findSlug } from "#store/accounts/join-slugs.ts";
import { readJoinPage as read } from "#store/views/join-pages.ts";

type Found = Awaited<ReturnType<typeof read>>;
type Page = Found & {
  readonly programId: ProgramId;
  readonly program: NonNullable<Found["program"]>;
  readonly page: NonNullable<Found["page"]>;
};

const noPage = { code: "not_found", what: "page" } as const;

/** A closed page, one of a program that isn't active, and none are the same. */
export async function readJoinPage(c: Ctx, slug: string): Promise<Result<Page>> {
  const known = await readFromDatabase(c, "home", (database) => findSlug(database, slug));
  if (!known.ok) return known;
  const programId = known.value;
  if (programId === undefined) return refused(noPage);
  const found = await readFromShards(c, (databaseOf) => read(databaseOf, programId, shardOfProgram(c.env, programId)));
  if (!found.ok) return found;
  const { program, page } = found.value;
  const isShown =
    program !== undefined && programStatus(program) === "active" && page !== undefined && isShownIn(page.mode);
  return isShown && page.slug === slug ? ok({ ...found.value, programId, program, page }) : refused(noPage);
}
