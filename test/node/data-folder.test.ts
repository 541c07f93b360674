import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, inject, onTestFinished, test } from "vitest";
import { createApi } from "../../harness/client.ts";
import { openDatabaseClient } from "../../harness/database-client.ts";
import { startService } from "../../harness/service.ts";
import { startSqld } from "../../harness/sqld.ts";
import { createWorld } from "../../harness/world.ts";
import { SqlConnection } from "../../runtime/node/sql-connection.ts";
import { auditLedger } from "../../scripts/audit/ledger.ts";
import { databaseFile } from "../../scripts/backup/data-paths.ts";
import { removeServerLog } from "../../scripts/backup/server-log.ts";
import { openClient } from "../../scripts/database/client.ts";
import { migrate } from "../../scripts/database/migrate.ts";
import { checkAddress } from "../../scripts/database/service-database.ts";
import { programFixture } from "../support/program-fixture.ts";
import { type SalesFixture, salesFixture } from "../support/sales-fixture.ts";

const build = inject("built");
const vars = { RATE_LIMITS: "off" };

async function sell(shop: SalesFixture, transaction_id: string): Promise<void> {
  const { status, body } = await shop.sell({ transaction_id, customer_key: "c1" });
  expect([status, body.attributed]).toEqual([200, true]);
}

test("the database file of a killed sqld works in the one-process service after sqld's log is removed, and then in sqld again", async () => {
  const directory = await mkdtemp(join(tmpdir(), "a tributary folder-"));
  onTestFinished(() => rm(directory, { recursive: true }));
  const sqld = await startSqld({ directory });
  await migrate(sqld);
  const settings = { partners: [{}, {}] };
  const onWorkerd = await startService({ runtime: "workerd", build, databaseUrl: sqld.url, vars });
  const world = await createWorld(sqld.url, settings);
  const shop = salesFixture(programFixture(world, createApi(onWorkerd.url)));
  await shop.refer("c1");
  await sell(shop, "t1");
  await onWorkerd.stop();
  await sqld.kill();

  const file = join(directory, databaseFile);
  expect(await readdir(dirname(file))).toContain("wallog");
  await removeServerLog(file);
  expect((await readdir(dirname(file))).filter((name) => !name.startsWith("data"))).toEqual([]);
  const databaseUrl = pathToFileURL(file).href;
  const inNode = await startService({ runtime: "node", build, databaseUrl, vars });
  await sell(salesFixture(programFixture(world, createApi(inNode.url))), "t2");
  await inNode.stop();
  const connection = new SqlConnection(file);
  expect(connection.run({ sql: "select transaction_id from sales order by id", args: [] })).toEqual([["t1"], ["t2"]]);
  connection.close();

  await sqld.start();
  const back = await startService({ runtime: "workerd", build, databaseUrl: sqld.url, vars });
  await sell(salesFixture(programFixture(world, createApi(back.url))), "t3");
  await back.stop();
  const { rows } = await openDatabaseClient(sqld.url).execute("select transaction_id from sales order by id");
  expect(rows.map((row) => row.transaction_id)).toEqual(["t1", "t2", "t3"]);
  const client = openClient({ url: sqld.url });
  expect(await auditLedger(client)).toEqual([]);
  client.close();
  await sqld.kill();
});

test.each([
  ["file:///srv/a%20folder/d%C3%A4ta/data", true],
  ["file:///srv/data?mode=ro", false],
  ["file:///srv/data#x", false],
  ["libsql://name.turso.io", true],
  ["libsql://user:pw@name.turso.io", false],
  ["https://name.example/a%20b", false],
])("the database URL %s is an address alone, without credentials or further parts: %s", (url, isAlone) => {
  const check = () => checkAddress({ url });
  if (isAlone) expect(check).not.toThrow();
  else expect(check).toThrow("must be an address alone");
});
