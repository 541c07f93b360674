import { sql } from "drizzle-orm";
import type { ProgramId } from "#domain/ids.ts";
import { isHere } from "./program-place.ts";
import { given, readAll } from "./statement.ts";

export interface OpenErasure {
  readonly id: string;
  readonly programId: ProgramId;
}

/** Running erasures, sorted by id. The order begins after `after` and wraps around. */
// Written in SQL, because the Ledger imports this file at its start and must not load the table's definition.
export const openErasures = readAll<{ after: string; limit: number }, OpenErasure>((db) =>
  db
    .select({ id: sql<string>`e.id`, programId: sql<number>`e.program_id` })
    .from(sql`erasures e`)
    .where(sql`e.erased_at is null and ${isHere(sql`e.program_id`)}`)
    .orderBy(sql`e.id <= ${given("after")}, e.id`)
    .limit(given("limit")),
);
