import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from "vitest";
import { startSqld } from "../../harness/sqld.ts";
import { databaseFile, objectsFolder } from "../../scripts/backup/data-paths.ts";
import { openClient } from "../../scripts/database/client.ts";
import { migrate } from "../../scripts/database/migrate.ts";
import { lockData } from "../../scripts/service/data-folder.ts";
import { tributary } from "../support/tributary.ts";
import { filesWith } from "./files-with.ts";

const sentinel = "zebra-sentinel";
let data: string;
beforeAll(async () => {
  data = await mkdtemp(join(tmpdir(), "tributary-compact-"));
});
afterAll(() => rm(data, { recursive: true, force: true }));

const compact = () => tributary(["compact", "--data", data]);

test("compacting removes erased data from every file of a folder, and changes nothing else", async () => {
  const sqld = await startSqld({ directory: data });
  const client = openClient({ url: sqld.url });
  await migrate({ url: sqld.url });
  await client.execute("create table kept (id integer primary key, text text)");
  const filler = "x".repeat(2_000);
  for (let n = 0; n < 20; n += 1) {
    const rows = Array.from({ length: 50 }, () => `('${sentinel} ${filler}')`).join(", ");
    await client.execute(`insert into kept (text) values ${rows}`);
  }
  await client.execute("update kept set text = 'kept'");
  const object = join(data, objectsFolder, "ledger");
  await sqld.stop();
  await mkdir(object, { recursive: true });
  const storage = new DatabaseSync(join(object, "one.sqlite"));
  storage.exec("pragma journal_mode = wal; create table clicks (seq integer primary key, click text)");
  storage.exec(`insert into clicks (click) values ('${sentinel}'); delete from clicks`);
  storage.close();
  const before = await filesWith(data, sentinel);
  expect(
    before.some((file) => file.includes("/wallog")),
    before.join(),
  ).toBe(true);
  expect(before).toContain(`${objectsFolder}/ledger/one.sqlite`);

  const { lock } = await lockData(data);
  expect(await compact()).toMatchObject({ code: 1, stderr: expect.stringContaining("Another process uses") });
  expect(await filesWith(data, sentinel)).toEqual(before);
  lock.close();

  const done = await compact();
  expect(done).toMatchObject({ code: 0, stderr: "" });
  expect(done.stdout).toMatch(/^sqld\/dbs\/default: \d+\.\d MB before, \d+\.\d MB after$/m);
  expect(await filesWith(data, sentinel)).toEqual([]);
  expect(await compact(), "again").toMatchObject({ code: 0, stderr: "" });
  expect(await readdir(join(data, "sqld/dbs/default"))).toEqual(["data"]);

  await sqld.start();
  const { rows } = await client.execute("select count(*) as n, min(text) as least, max(text) as most from kept");
  expect(rows).toMatchObject([{ n: 1_000, least: "kept", most: "kept" }]);
  await sqld.stop();
});

test("compacting refuses a folder that doesn't belong to a service", async () => {
  const other = await mkdtemp(join(tmpdir(), "tributary-other-"));
  const refused = await tributary(["compact", "--data", other]);
  const stderr = `${other} is not the data folder of a service: it has no ${databaseFile}.\n`;
  expect(refused).toEqual({ code: 1, stdout: "", stderr });
  expect(await readdir(other)).toEqual([]);
  await rm(other, { recursive: true });
});

test("npm run tributary -- erasures writes no file if HASH_SECRET is missing, because a restore couldn't read the file", async () => {
  const file = join(data, "erasures.jsonl");
  const secretsFile = join(data, "other.vars");
  await writeFile(secretsFile, "AUTH_SECRET=x\n");
  const sqld = await startSqld({ directory: data });
  onTestFinished(() => sqld.stop());
  vi.stubEnv("DATABASE_URL", sqld.url);
  const { code, stderr } = await tributary(["erasures", file, "--secrets-file", secretsFile]);
  expect([code, stderr]).toEqual([1, expect.stringContaining(`${secretsFile} lacks HASH_SECRET`)]);
  expect(await readdir(data)).not.toContain("erasures.jsonl");
});
