import { cp, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { hashLinkToken } from "#domain/link-token.ts";
import { type Sqld, startSqld } from "../../harness/sqld.ts";
import { openClient } from "../../scripts/database/client.ts";
import { migrate, readMigrations } from "../../scripts/database/migrate.ts";
import { makeMigration } from "../../scripts/database/migrations.ts";
import { migrationDigests, releasedMigrationsFile } from "../../scripts/release/released-migrations.ts";
import { root } from "../../scripts/root.ts";
import { tributary } from "../support/tributary.ts";

let directory: string;
let sqld: Sqld;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "tributary-migrate-"));
  sqld = await startSqld({ directory });
});
afterAll(async () => {
  await sqld?.kill();
  await rm(directory, { recursive: true, force: true });
});

const write = async (name: string, files: Record<string, string>) => {
  const folder = join(directory, name);
  await mkdir(folder, { recursive: true });
  await Promise.all(Object.entries(files).map(([tag, text]) => writeFile(join(folder, `${tag}.sql`), text)));
  return folder;
};

const tables = async () => {
  const { rows } = await openClient({ url: sqld.url }).execute("select name from sqlite_master where type = 'table'");
  return rows.map(({ name }) => name);
};

test("parallel runs apply each migration once, and a later run applies none", async () => {
  const folder = await write("twice", {
    twice_a:
      "create table twice_a (id integer primary key);\n--> statement-breakpoint\ninsert into twice_a values (1);",
    twice_b: "create table twice_b (id integer primary key);",
  });
  const runs = await Promise.all([1, 2, 3, 4].map(() => migrate(sqld, folder)));
  expect(runs.flat().toSorted()).toEqual(["twice_a", "twice_b"]);
  expect(await migrate(sqld, folder)).toEqual([]);
});

test("a failing migration leaves nothing behind, prints the failing statement, and runs after it is fixed", async () => {
  const broken = {
    broken_a: "create table broken_a (id integer);\n--> statement-breakpoint\ninsert into nowhere values (1);",
  };
  await expect(migrate(sqld, await write("broken", broken))).rejects.toThrow("insert into nowhere");
  expect(await tables()).not.toContain("broken_a");

  const right = { broken_a: "create table broken_a (id integer);" };
  expect(await migrate(sqld, await write("broken", right))).toEqual(["broken_a"]);
});

test("a migration that was edited after it had been applied is refused", async () => {
  await migrate(sqld, await write("edited", { edited_a: "create table edited_a (id integer);" }));
  const edited = await write("edited", { edited_a: "create table edited_a (id text);" });
  await expect(migrate(sqld, edited)).rejects.toThrow("its migration edited_a isn't that of this version");
});

test("npm run tributary -- migrate on a database of another schema prints which migration differs, and changes nothing", async () => {
  const client = openClient({ url: sqld.url });
  await client.execute("insert into schema_migrations values ('0000_schema', 'another', 1)");
  onTestFinished(async () => {
    await client.execute("delete from schema_migrations where name = '0000_schema'");
  });
  const before = await tables();
  const refused = await tributary(["migrate"], { DATABASE_URL: sqld.url });
  const message = `The database at ${sqld.url} has another schema: its migration 0000_schema isn't that of this version. Schemas are upgraded from release to release, not in between. Use the version that wrote it. To start over, name an empty database. Nothing was changed.\n`;
  expect(refused).toEqual({ code: 1, stdout: "", stderr: message });
  expect(await tables()).toEqual(before);
});

test("the committed migrations equal those that are generated from the schema and the triggers", {
  tags: "soak",
}, async () => {
  const made = join(directory, "made");
  for (const path of ["migrations", releasedMigrationsFile])
    await cp(join(root, path), join(made, path), { recursive: true });
  await makeMigration(made);
  expect(migrationDigests(made)).toEqual(migrationDigests(root));
});

test("sessions that an earlier release stored by their token are stored by the token's digest after a migration", async () => {
  await migrate(sqld);
  const client = openClient(sqld);
  onTestFinished(() => client.close());
  const [plain, stored] = ["T".repeat(43), hashLinkToken("another")];
  await client.batch(
    [
      "insert into users (id, name, email, created_at, updated_at) values ('u', 'Ada', 'ada@people.example', 0, 0)",
      ...[plain, stored].map((token) => ({
        sql: `insert into sessions (id, token, user_id, expires_at, confirmed_at, created_at, updated_at)
          values (?1, ?1, 'u', 9, 0, 0, 0)`,
        args: [token],
      })),
    ],
    "write",
  );
  for (const _ of [1, 2]) {
    await migrate(sqld);
    const { rows } = await client.execute("select id, token from sessions order by id");
    expect(rows.map(({ id, token }) => [id, token])).toEqual(
      [
        [plain, hashLinkToken(plain)],
        [stored, stored],
      ].toSorted(),
    );
  }
});

test("webhooks of an earlier release continue as if their addresses had been verified", async () => {
  const migrations = await readMigrations();
  const at = migrations.findIndex(({ name }) => name.endsWith("_webhooks_proved"));
  const database = new DatabaseSync(":memory:");
  database.exec("pragma foreign_keys = off");
  const run = (those: typeof migrations) => {
    for (const { statements } of those) for (const statement of statements) database.exec(statement);
  };
  run(migrations.slice(0, at));
  database.exec(`insert into webhooks (id, program_id, is_test, url, description, status, cursor, created_at)
    values (1, 1, 0, 'https://shop.example/', '', 'active', 0, 7)`);
  run(migrations.slice(at));
  expect(database.prepare("select proved_at from webhooks").all()).toEqual([{ proved_at: 7 }]);
});
