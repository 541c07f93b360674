import type { World } from "../../harness/world.ts";
import { expectUnmistakable } from "./unique-word.ts";

/** Returns the rows of all tables and programs that contain one of these names, in any case. */
export async function rowsNaming(world: World, ...names: readonly [string, ...string[]]): Promise<readonly string[]> {
  expectUnmistakable(names);
  const tables = await world.rows(
    `select m.name, group_concat('coalesce("' || c.name || '", '''')', ' || char(10) || ') as texts
     from sqlite_master m, pragma_table_info(m.name) c
     where m.type = 'table' and m.name not like 'sqlite%' and upper(c.type) = 'TEXT' group by m.name`,
  );
  const naming = tables.map(({ name, texts }) => {
    const found = names.map(() => `instr(lower(${texts}), lower(?))`).join(" or ");
    return world.rows(`select '${name}' as of, ${texts} as texts from ${name} where ${found}`, ...names);
  });
  return (await Promise.all(naming)).flat().map(({ of, texts }) => `${of}: ${texts}`);
}
