import { mkdtemp, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { startSqld } from "../../harness/sqld.ts";
import { databaseFile } from "../../scripts/backup/data-paths.ts";
import { openClient } from "../../scripts/database/client.ts";

const start = async (port?: number, requiresToken?: boolean) => {
  const directory = await mkdtemp(join(tmpdir(), "tributary-sqld-"));
  const sqld = await startSqld({ directory, port, requiresToken }).catch(async (error) => {
    await rm(directory, { recursive: true });
    throw error;
  });
  onTestFinished(async () => {
    await sqld.kill();
    await rm(directory, { recursive: true });
  });
  return sqld;
};

const count = async (url: string) => {
  const { rows } = await openClient({ url }).execute("select count(*) as n from t");
  return rows[0]?.n;
};

test("sqld keeps its port and data across a kill, and commits durably after each start", async () => {
  const sqld = await start();
  const { url } = sqld;
  await openClient({ url }).batch(["create table t (id integer primary key)", "insert into t values (1)"], "write");
  await sqld.kill();
  expect(sqld.isRunning).toBe(false);
  expect(await sqld.ended).toContain("SIGKILL");

  await sqld.start();
  expect(sqld.url).toBe(url);
  expect(await count(url)).toBe(1);
  const log = await readFile(sqld.logFile, "utf8");
  expect(log.match(/durability_mode_after="strong"/g)).toHaveLength(2);
});

test("sqld's write-ahead log is truncated, so that it doesn't keep growing", async () => {
  const sqld = await start();
  const client = openClient({ url: sqld.url });
  const log = join(dirname(sqld.logFile), `${databaseFile}-wal`);
  // The last connection to close removes the file.
  const logBytes = () =>
    stat(log).then(
      ({ size }) => size,
      () => 0,
    );
  await client.execute("create table t (text blob)");
  for (let megabytes = 0; megabytes < 8; megabytes += 1) {
    await client.execute("insert into t values (zeroblob(1048576))");
  }
  await expect.poll(logBytes).toBeLessThan(4_000_000);
  expect(await count(sqld.url)).toBe(8);
});

test("sqld answers nothing while it is paused, and continues afterwards", { tags: "soak" }, async () => {
  const sqld = await start();
  sqld.pause();
  // On a busy machine, the server's threads stop slightly later.
  const health = () => fetch(`${sqld.url}/health`, { signal: AbortSignal.timeout(300) });
  await expect.poll(() => health().catch(({ name }) => name)).toBe("TimeoutError");
  sqld.resume();
  expect((await fetch(`${sqld.url}/health`)).status).toBe(200);
});

test("starting sqld on a port in use fails with an error that names the port", { tags: "soak" }, async () => {
  const sqld = await start();
  const port = Number(new URL(sqld.url).port);
  await expect(start(port)).rejects.toThrow(`sqld can't listen on 127.0.0.1:${port}: the port is in use`);
  expect(sqld.isRunning).toBe(true);
});

test("sqld accepts only the tokens that were made for it, also after a restart", async () => {
  const sqld = await start(undefined, true);
  const reads = (authToken?: string) =>
    openClient({ url: sqld.url, ...(authToken && { authToken }) }).execute("select 1");
  const admin = async (headers: Record<string, string>) =>
    (await fetch(`${sqld.adminUrl}/v1/namespaces/default/config`, { headers })).status;
  await sqld.kill();
  await sqld.start();
  await expect(reads()).rejects.toThrow("401");
  await expect(reads((await start(undefined, true)).authToken)).rejects.toThrow("401");
  expect((await reads(sqld.authToken)).rows).toHaveLength(1);
  expect(await admin({})).toBe(401);
  expect(await admin({ authorization: `Basic ${sqld.authToken}` })).toBe(401);
  expect(await admin({ authorization: sqld.adminAuthorization })).toBe(200);
});
