import { asc, eq, type SQLWrapper, sql } from "drizzle-orm";
import type { ProgramId } from "#domain/ids.ts";
import type { Unit } from "#domain/units.ts";
import { units } from "./schema/units.ts";
import { everyColumn, given, insert, readAll } from "./statement.ts";

export type UnitRow = typeof units.$inferSelect;

/** The columns, in the same order as in a policy's JSON. */
const columns = { code: units.code, digits: units.digits, one: units.one, other: units.other };

/** Reads all units of the program. A program has at most ten. */
export const unitsOfProgram = readAll<{ programId: ProgramId }, Unit>((db) =>
  db
    .select(columns)
    .from(units)
    .where(eq(units.programId, given("programId")))
    .orderBy(asc(units.code)),
);

/** The unit with this code, as an expression in another query. Null for a currency. */
export const unitIn = (programId: SQLWrapper, code: SQLWrapper) =>
  sql<Unit | null>`(
    select json_object('code', u.code, 'digits', u.digits, 'one', u.one, 'other', u.other) from units u
    where u.program_id = ${programId} and u.code = ${code})`.mapWith((json: string) => JSON.parse(json) as Unit);

export const insertUnit = insert<UnitRow>((db) => db.insert(units).values(everyColumn(units)));
