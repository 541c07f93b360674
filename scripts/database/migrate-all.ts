import { type Databases, forEachShard } from "./databases.ts";
import { migrate } from "./migrate.ts";

/** Migrates all databases. Returns a line of text for each migration that this call applied. */
export async function migrateAll(databases: Databases): Promise<readonly string[]> {
  const applied = await forEachShard(databases, async (database) => ({ ...database, names: await migrate(database) }));
  return applied.flatMap(({ shard, names }) => names.map((name) => `${name}${suffixOf(databases, shard)}`));
}

/** The end of a line of text about one database. Empty if there is only one database. */
export const suffixOf = ({ length }: Databases, shard: number): string => (length === 1 ? "" : ` (shard ${shard})`);

export const upToDate = ({ length }: Databases): string =>
  length === 1 ? "The database is up to date." : `The ${length} databases are up to date.`;
