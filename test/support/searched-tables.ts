import type { World } from "../../harness/world.ts";
import { isWhole } from "./breadth.ts";

export interface SearchedTable {
  readonly name: string;
  /** The SQL condition for the rows to search. */
  readonly where: string;
}

/**
 * Returns every table with the rows of the world's program, or with all rows if the table has no program. `npm run
 * soak` searches all rows, including those of other tests.
 */
export async function searchedTables({ rows, programId }: World): Promise<readonly SearchedTable[]> {
  const tables = await rows(
    `select m.name, max(c.name = 'program_id') as is_of_program
     from sqlite_master m, pragma_table_info(m.name) c where m.type = 'table' group by m.name`,
  );
  return tables.map(({ name, is_of_program }) => ({
    name: String(name),
    where: is_of_program === 1 && !isWhole ? `program_id = ${programId}` : "true",
  }));
}
