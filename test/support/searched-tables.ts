import type { World } from "../../harness/world.ts";
import { isWhole } from "./breadth.ts";

export interface SearchedTable {
  readonly name: string;
  /** Which rows to search, as SQL. */
  readonly where: string;
}

/** Every table: its rows of the world's program where they name one; in `npm run soak` all that other tests have left. */
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
