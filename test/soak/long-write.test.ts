import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { Client } from "@libsql/client/http";
import { expect, test } from "vitest";
import { startSqld } from "../../harness/sqld.ts";
import { openClient } from "../../scripts/database/client.ts";

/** sqld ends a transaction after five seconds if others wait, so this write takes longer. */
const longMs = 7_000;

const insertMany = (rows: number) =>
  `insert into t (text) with recursive n(i) as (select 1 union all select i + 1 from n where i < ${rows})
   select hex(randomblob(100)) from n`;

/** Returns how many rows this machine inserts in that time. */
async function rowsOfLongWrite(client: Client): Promise<number> {
  for (let rows = 200_000; ; ) {
    const begun = Date.now();
    await client.batch([insertMany(rows)], "write");
    const ms = Date.now() - begun;
    if (ms >= longMs) return rows;
    rows = Math.ceil(rows * Math.min(4, (longMs * 1.1) / ms));
  }
}

test("a write that takes too long doesn't block a concurrent write", { timeout: 300_000 }, async ({
  onTestFinished,
}) => {
  const directory = await mkdtemp(join(tmpdir(), "tributary-sqld-"));
  const sqld = await startSqld({ directory });
  onTestFinished(async () => {
    await sqld.kill();
    await rm(directory, { recursive: true });
  });
  const client = openClient({ url: sqld.url });
  await client.execute("create table t (id integer primary key, text text)");
  const rows = await rowsOfLongWrite(client);
  const outcome = (written: Promise<unknown>) => written.then(() => "written", String);
  const long = outcome(client.batch([insertMany(rows)], "write"));
  await delay(300);
  const others = [1, 2, 3].map(() => outcome(client.execute("insert into t (text) values ('short')")));
  expect(await Promise.all(others)).toEqual(["written", "written", "written"]);
  expect(["written", "LibsqlError: TRANSACTION_TIMEOUT: Transaction timed out"]).toContain(await long);
  expect(await outcome(client.execute("insert into t (text) values ('later')"))).toBe("written");
});
