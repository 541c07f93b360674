import { sql } from "drizzle-orm";
import type { ProgramId } from "#domain/ids.ts";
import { isHere } from "./program-place.ts";
import { given, readAll } from "./statement.ts";

export interface OpenErasure {
  readonly id: string;
  readonly programId: ProgramId;
}

/** By id, from the one after `after`, then from the first again. */
// Without the table's definition, because the Ledger reads them at its start.
export const openErasures = readAll<{ after: string; limit: number }, OpenErasure>((db) =>
  db
    .select({ id: sql<string>`e.id`, programId: sql<number>`e.program_id` })
    .from(sql`erasures e`)
    .where(sql`e.erased_at is null and ${isHere(sql`e.program_id`)}`)
    .orderBy(sql`e.id <= ${given("after")}, e.id`)
    .limit(given("limit")),
);
