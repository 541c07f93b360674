import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createClient } from "@libsql/client/http";
import { afterAll, beforeAll, expect, test } from "vitest";
import { migrate } from "../../scripts/migrate.ts";
import { type Sqld, startSqld } from "../../scripts/sqld.ts";

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
  await mkdir(join(folder, "meta"), { recursive: true });
  const entries = Object.keys(files).map((tag, idx) => ({ idx, tag }));
  await writeFile(join(folder, "meta/_journal.json"), JSON.stringify({ entries }));
  await Promise.all(Object.entries(files).map(([tag, text]) => writeFile(join(folder, `${tag}.sql`), text)));
  return folder;
};

const tables = async () => {
  const { rows } = await createClient({ url: sqld.url }).execute("select name from sqlite_master where type = 'table'");
  return rows.map(({ name }) => name);
};

test("of several at once one applies each migration, and a later run none", async () => {
  const folder = await write("twice", {
    twice_a:
      "create table twice_a (id integer primary key);\n--> statement-breakpoint\ninsert into twice_a values (1);",
    twice_b: "create table twice_b (id integer primary key);",
  });
  const runs = await Promise.all([1, 2, 3, 4].map(() => migrate(sqld, folder)));
  expect(runs.flat().toSorted()).toEqual(["twice_a", "twice_b"]);
  expect(await migrate(sqld, folder)).toEqual([]);
});

test("a migration that fails leaves nothing behind, names its statement, and runs once it is put right", async () => {
  const broken = {
    broken_a: "create table broken_a (id integer);\n--> statement-breakpoint\ninsert into nowhere values (1);",
  };
  await expect(migrate(sqld, await write("broken", broken))).rejects.toThrow("insert into nowhere");
  expect(await tables()).not.toContain("broken_a");

  const right = { broken_a: "create table broken_a (id integer);" };
  expect(await migrate(sqld, await write("broken", right))).toEqual(["broken_a"]);
});

test("refuses a migration that was edited after it had been applied", async () => {
  await migrate(sqld, await write("edited", { edited_a: "create table edited_a (id integer);" }));
  const edited = await write("edited", { edited_a: "create table edited_a (id text);" });
  await expect(migrate(sqld, edited)).rejects.toThrow("was edited after it had been applied");
});
