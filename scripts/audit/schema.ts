import { DatabaseSync } from "node:sqlite";
import { readMigrations } from "../database/migrate.ts";
import type { Row } from "./invariant.ts";

export const schemaRule = "triggers, indexes and tables that are missing, changed or too many";

const definitions = "select type, name, sql from sqlite_master where sql is not null and name not like 'sqlite_%'";
const journal = "schema_migrations";

const plain = (sql: unknown): string => String(sql).replace(/\s+/g, " ").replaceAll(/["`]/g, "").trim();

export async function schemaBroken(database: {
  execute(query: string): Promise<{ readonly rows: readonly Row[] }>;
}): Promise<readonly Row[]> {
  const had = new Set((await database.execute(`select name from ${journal}`)).rows.map(({ name }) => String(name)));
  const expected = await definedBy(had);
  const found = byName((await database.execute(definitions)).rows);
  const names = new Set([...expected.keys(), ...found.keys()]);
  return [...names].flatMap((name) => {
    const [is, should] = [found.get(name), expected.get(name)];
    if (is === undefined) return [{ name, is: "missing" }];
    if (should === undefined) return [{ name, is: "too many" }];
    return plain(is.sql) === plain(should.sql) ? [] : [{ name, is: "changed" }];
  });
}

/** Known definitions by the hashes of their migrations. Running the migrations takes most of an audit's time. */
const defined = new Map<string, ReadonlyMap<string, Row>>();

async function definedBy(had: ReadonlySet<string>): Promise<ReadonlyMap<string, Row>> {
  const applied = (await readMigrations()).filter(({ name }) => had.has(name));
  const key = applied.map(({ hash }) => hash).join();
  const known = defined.get(key);
  if (known !== undefined) return known;
  const fresh = new DatabaseSync(":memory:");
  try {
    for (const statement of applied.flatMap(({ statements }) => statements)) fresh.exec(statement);
    const made = byName(fresh.prepare(definitions).all());
    defined.set(key, made);
    return made;
  } finally {
    fresh.close();
  }
}

const byName = (rows: readonly Row[]): ReadonlyMap<string, Row> =>
  new Map(rows.filter(({ name }) => name !== journal).map((row) => [`${row.type} ${String(row.name)}`, row]));
