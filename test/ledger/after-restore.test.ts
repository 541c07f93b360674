import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { signUp } from "../../harness/session.ts";
import { root } from "../../scripts/root.ts";
import { expectLedgerConsistent } from "../support/expect-ledger-consistent.ts";
import { isolatedService } from "../support/isolated-service.ts";
import { programFixture } from "../support/program-fixture.ts";

const own = isolatedService();

const afterRestore = () =>
  promisify(execFile)("npm", ["run", "-s", "after-restore"], {
    cwd: root,
    env: { ...process.env, DATABASE_URL: own.database.url },
  });

it("npm run after-restore makes a running service go on from the backup, and may be run again", async () => {
  const owner = await signUp(own.service.url);
  const world = await own.world({ partners: [{}, {}], members: [{ user: owner, role: "owner" }] });
  const { alice, visit, api } = programFixture(world, own.api());
  const sell = (transaction_id: string) =>
    api.sale({ transaction_id, amount_cents: 1_000, customer_key: "u" }, { key: world.key });
  const epoch = async () => Number((await world.rows("select epoch from ledger_writers"))[0]?.epoch);
  await visit();

  const copy = await own.database.backup();
  await owner.patch(`/api/programs/${world.programId}/partners/${alice.id}`, { status: "paused" });
  expect((await visit()).success).toBe(false);
  expect((await sell("undone")).status).toBe(200);
  await own.database.restore(copy);
  // An import, or a backup of the previous release, may leave it like this.
  const [stay] = await world.rows("select sql from sqlite_master where name = 'ledger_writers_stay'");
  await world.write("drop trigger ledger_writers_stay", "delete from ledger_writers", String(stay?.sql));
  await world.write("drop trigger ledger_writers_first", "delete from schema_migrations where name like '0006_%'");

  const { stdout } = await afterRestore();
  expect(stdout).toMatch(/^applied 0006_writer_row\nThe Ledger starts afresh.*\nThe books are right: \d+ checks\.\n$/);
  expect((await sell("undone")).status).toBe(200);
  expect((await visit()).success).toBe(true);

  const before = await epoch();
  expect(before).toBeGreaterThan(1_700_000_000_000);
  await afterRestore();
  expect(await epoch()).toBeGreaterThan(before);
  expect((await sell("after")).status).toBe(200);
  await expectLedgerConsistent(world);
});
