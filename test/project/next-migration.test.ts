import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, onTestFinished, test } from "vitest";
import { changeSchema, definitionsIn, schemaDifferences } from "../../scripts/database/change-schema.ts";
import { joinStatements, statementsIn } from "../../scripts/database/migrate.ts";
import { makeMigration } from "../../scripts/database/migrations.ts";
import { migrationDigests, releasedMigrationsFile } from "../../scripts/release/released-migrations.ts";

const shop = [
  'CREATE TABLE `shops` (\n\t`id` integer PRIMARY KEY NOT NULL,\n\t`kind` text NOT NULL,\n\tCONSTRAINT "shops_kind" CHECK("shops"."kind" in (\'a\', \'b, c\'))\n) STRICT;',
  "CREATE TABLE `sales` (\n\t`id` integer PRIMARY KEY NOT NULL,\n\t`shop_id` integer NOT NULL,\n\t`cents` integer NOT NULL,\n\tFOREIGN KEY (`shop_id`) REFERENCES `shops`(`id`) ON UPDATE no action ON DELETE no action\n) STRICT;",
  "CREATE TABLE `notes` (\n\t`shop_id` integer NOT NULL,\n\t`at` integer NOT NULL,\n\t`text` text,\n\tPRIMARY KEY(`shop_id`, `at`)\n) STRICT, WITHOUT ROWID;",
  "CREATE INDEX `sales_shop` ON `sales` (`shop_id`);",
  "CREATE INDEX `shops_kind` ON `shops` (`kind`);",
  "-- Sales are final.\nCREATE TRIGGER sales_final BEFORE UPDATE ON sales\nBEGIN\n  SELECT raise(ABORT, 'final');\nEND;",
  "-- Each sale is noted.\nCREATE TRIGGER sales_noted AFTER INSERT ON sales\nBEGIN\n  INSERT INTO notes VALUES (new.shop_id, new.id, 'sale');\nEND;",
];

const edit = (from: string, to: string) => {
  const edited = shop.map((statement) => statement.replace(from, to));
  expect(edited).not.toEqual(shop);
  return edited;
};
const without = (name: string) => shop.filter((statement) => !new RegExp(`CREATE \\w+ \`?${name}\\b`).test(statement));

/** Creates a database with rows. */
function filled(schema: readonly string[] = shop): DatabaseSync {
  const database = new DatabaseSync(":memory:");
  for (const sql of schema) database.exec(sql);
  database.exec(
    "insert into shops (id, kind) values (1, 'a'), (2, 'b, c'); insert into sales (id, shop_id, cents) values (1, 1, 5), (2, 2, 7)",
  );
  return database;
}

const rowsOf = (database: DatabaseSync, table: string) => database.prepare(`select * from ${table}`).all();

const inShops = "`kind` text NOT NULL,";
const changes: readonly (readonly [string, readonly string[], readonly RegExp[]])[] = [
  ["nothing", shop, []],
  ["a new column", edit(inShops, `${inShops}\n\t\`name\` text,`), [/^ALTER TABLE `shops` ADD `name` text;$/]],
  ["a new column with a default", edit(inShops, `${inShops}\n\t\`n\` integer DEFAULT 0 NOT NULL,`), [/^ALTER .* ADD/]],
  [
    "a new column with a check, and one with a reference",
    edit(
      `${inShops}\n`,
      `${inShops}\n\t\`name\` text,\n\t\`next_id\` integer,
\tFOREIGN KEY (\`next_id\`) REFERENCES \`shops\`(\`id\`) ON UPDATE no action ON DELETE no action,
\tCONSTRAINT "shops_name" CHECK("shops"."name" <> '' or "shops"."next_id" = 1),\n`,
    ),
    [/ADD `name` text;$/, /ADD `next_id` integer REFERENCES .* CONSTRAINT "shops_name" CHECK/],
  ],
  [
    "an additional kind",
    edit("'b, c'", "'b, c', 'd'"),
    [/^PRAGMA/, /_copy/, /DROP/, /CREATE/, /INSERT/, /DROP/, /INDEX/],
  ],
  ["a column that becomes nullable", edit("`cents` integer NOT NULL", "`cents` integer"), Array(9).fill(/./)],
  ["a table without a key", without("notes"), [/^PRAGMA/, /^DROP TABLE `notes`;$/]],
  ["a new index", [...shop, "CREATE INDEX `sales_cents` ON `sales` (`cents`);"], [/^CREATE INDEX `sales_cents`/]],
  ["a changed index", edit("(`kind`)", "(`kind`,`id`)"), [/^DROP INDEX `shops_kind`/, /^CREATE INDEX `shops_kind`/]],
  [
    "a changed trigger",
    edit("'sale'", "'sold'"),
    [/^DROP TRIGGER `sales_noted`/, /^-- Each sale is noted\.\nCREATE TRIGGER/],
  ],
  ["a removed trigger", without("sales_final"), [/^DROP TRIGGER `sales_final`;$/]],
];

test.each(changes)(
  "the generated migration for %s leads to the schema of the sources, and keeps the rows",
  (_, wanted, expected) => {
    const database = filled();
    const before = ["shops", "sales"].map((table) => rowsOf(database, table));
    const statements = changeSchema(new DatabaseSync(":memory:"), shop);
    expect(statements).toEqual(shop);
    const released = new DatabaseSync(":memory:");
    for (const sql of shop) released.exec(sql);
    const next = changeSchema(released, wanted);
    expect(next).toHaveLength(expected.length);
    for (const [i, pattern] of expected.entries()) expect(next[i]).toMatch(pattern);

    database.exec("begin");
    for (const sql of next) database.exec(sql);
    database.exec("commit");
    expect(schemaDifferences(definitionsIn(database), wanted)).toEqual([]);
    expect(["shops", "sales"].map((table) => rowsOf(database, table))).toMatchObject(before);
    expect(database.prepare("pragma foreign_key_check").all()).toEqual([]);
  },
);

test("the generator of migrations finds differences in every part of a schema", () => {
  for (const [name, other, statements] of changes) {
    const found = schemaDifferences(definitionsIn(filled()), other);
    expect(found.length > 0, name).toBe(statements.length > 0);
  }
  expect(schemaDifferences(definitionsIn(filled()), edit(", WITHOUT ROWID", ""))).toEqual(["table notes"]);
});

test("the generator of migrations rejects a new NOT NULL column without a default", () => {
  const database = new DatabaseSync(":memory:");
  for (const sql of shop) database.exec(sql);
  const wanted = edit(inShops, `${inShops}\n\t\`name\` text NOT NULL,`);
  expect(() => changeSchema(database, wanted)).toThrow("shops.name is NOT NULL and has no default");
});

async function repository(released: Readonly<Record<string, readonly string[]>>) {
  const folder = await mkdtemp(join(tmpdir(), "tributary-next-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const write = (name: string, statements: readonly string[]) =>
    writeFile(join(folder, "migrations", name), joinStatements(statements));
  const release = () => writeFile(join(folder, releasedMigrationsFile), JSON.stringify(migrationDigests(folder)));
  for (const each of ["migrations", "scripts/release"]) await mkdir(join(folder, each), { recursive: true });
  for (const [name, statements] of Object.entries(released)) await write(name, statements);
  await release();
  const files = async () => {
    const names = (await readdir(join(folder, "migrations"))).sort();
    const texts = names.map((name) => readFile(join(folder, "migrations", name), "utf8"));
    return Object.fromEntries((await Promise.all(texts)).map((text, i) => [names[i], text]));
  };
  return { folder, write, release, files };
}

test("before the first release, the whole schema is one migration", async () => {
  const { folder, files } = await repository({});
  await makeMigration(folder, shop.slice(0, 2));
  await makeMigration(folder, shop);
  expect(await files()).toEqual({ "0000_schema.sql": joinStatements(shop) });
});

test("released migrations are kept, and the next one is generated again until it is released too", async () => {
  const { folder, release, files } = await repository({ "0000_schema.sql": shop });
  const first = await files();
  await makeMigration(folder, shop);
  expect(await files()).toEqual(first);
  const withName = edit(inShops, `${inShops}\n\t\`name\` text,`);
  await makeMigration(folder, without("sales_final"));
  await makeMigration(folder, withName);
  const second = { ...first, "0001_schema.sql": "ALTER TABLE `shops` ADD `name` text;\n" };
  expect(await files()).toEqual(second);
  await makeMigration(folder, withName);
  expect(await files()).toEqual(second);
  await release();
  await makeMigration(
    folder,
    withName.filter((sql) => !sql.includes("sales_final")),
  );
  expect(await files()).toEqual({ ...second, "0002_schema.sql": "DROP TRIGGER `sales_final`;\n" });
});

test("a handwritten migration is kept, and the generated one contains only the remaining changes", async () => {
  const { folder, write, files } = await repository({ "0000_schema.sql": shop });
  await makeMigration(folder, without("sales_shop"));
  const byHand = ["DROP TRIGGER sales_final;", "UPDATE sales SET cents = cents + 1;"];
  await write("0001_a-cent-more.sql", byHand);
  await makeMigration(folder, shop);
  const { "0001_a-cent-more.sql": kept, "0002_schema.sql": next = "", ...others } = await files();
  expect(kept).toBe(joinStatements(byHand));
  expect(Object.keys(others)).toEqual(["0000_schema.sql"]);
  expect(statementsIn(next).join()).toMatch(/^-- Sales are final\.\nCREATE TRIGGER sales_final/);
});

test("no migration is generated if a released migration was changed or removed", async () => {
  const { folder, write, files } = await repository({ "0000_schema.sql": shop, "0001_schema.sql": ["SELECT 1;"] });
  await write("0000_schema.sql", without("sales_final"));
  await rm(join(folder, "migrations/0001_schema.sql"));
  const before = await files();
  await expect(makeMigration(folder, shop)).rejects.toThrow(
    "A release has 0000_schema.sql, 0001_schema.sql: restore it",
  );
  expect(await files()).toEqual(before);
});
