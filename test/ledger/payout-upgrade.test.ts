import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Client, createClient } from "@libsql/client/http";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startDatabase, type TestDatabase } from "../../harness/database.ts";
import { createWorld, type World } from "../../harness/world.ts";
import { auditLedger } from "../../scripts/audit/ledger.ts";
import { migrate } from "../../scripts/migrate.ts";
import { root } from "../../scripts/root.ts";
import { type Sqld, startSqld } from "../../scripts/sqld.ts";
import { callsOf } from "../support/ledger-calls.ts";
import { ownLedger } from "../support/own-ledger.ts";
import { payoutCalls } from "../support/payout-calls.ts";
import { daysAgo } from "../support/program-fixture.ts";

const now = daysAgo(0);
const clock = { now: () => now, sleep: async () => {}, random: () => 0.5 };

let database: TestDatabase;
let directory: string;
let before: Sqld;
let client: Client;
beforeAll(async () => {
  database = await startDatabase();
  directory = await mkdtemp(join(tmpdir(), "tributary-upgrade-"));
  before = await startSqld({ directory });
  client = createClient({ url: before.url });
});
afterAll(async () => {
  await Promise.all([database?.dispose(), before?.kill()]);
  await rm(directory, { recursive: true, force: true });
});

/** Applies the migrations up to 0012. */
async function migrateBeforePayouts(): Promise<void> {
  const folder = join(directory, "before");
  await cp(join(root, "migrations"), folder, { recursive: true });
  const path = join(folder, "meta/_journal.json");
  const journal = JSON.parse(await readFile(path, "utf8")) as { entries: { idx: number }[] };
  await writeFile(path, JSON.stringify({ ...journal, entries: journal.entries.filter(({ idx }) => idx < 13) }));
  await migrate(before, folder);
}

/** Commissions of each status but `paid`, in two currencies, with refunds and a customer who has moved. */
async function sell(world: World): Promise<void> {
  const [alice, bob] = world.partners;
  if (alice === undefined || bob === undefined) throw new Error("a program has two partners");
  const { lead, sale, refund, decide, click } = callsOf(world, ownLedger(database.url, clock));
  const sold = (id: string, customerKey: string, more: object = {}, daysBefore = 20) =>
    sale(id, daysAgo(daysBefore), { customerKey, ...more });
  await lead("key", [click(alice, daysAgo(30))], "a");
  await lead("key", [click(bob, daysAgo(30))], "b");
  await lead("browser", [click(bob, daysAgo(29))], "moved");
  await sold("approved", "a");
  await sold("approved too", "b", { currency: "USD" });
  await sold("pending", "a", {}, 1);
  await refund("pending", "amount", { refundId: "r", cents: 300 });
  await sold("in part", "b");
  await refund("in part", "amount", { refundId: "r", cents: 400 });
  await sold("reversed", "a", { currency: "USD" });
  await refund("reversed", "rest");
  await decide((await sold("rejected", "b")).commissionId, "rejected");
  await sold("void", "nobody");
  await sold("follows", "moved", {}, 21);
  await lead("key", [click(alice, daysAgo(25))], "moved");
  await sold("minor", "a", { amountCents: 777 });
  await world.write(
    { sql: "update partners set email = 'b@example.com' where id = ?", args: [bob.id] },
    { sql: "update partners set email = null where id = ?", args: [alice.id] },
  );
}

/** Copies each row, without the columns that 0013 adds. No trigger counts them again. */
async function copyRows(): Promise<void> {
  const from = createClient({ url: database.url });
  const { rows: triggers } = await client.execute("select name, sql from sqlite_master where type = 'trigger'");
  const { rows: tables } = await client.execute(
    `select t.name, group_concat('"' || c.name || '"') as columns from sqlite_master t, pragma_table_info(t.name) c
     where t.type = 'table' and t.name not like 'sqlite%' and t.name not in ('schema_migrations', 'libsql_wasm_func_table')
     group by t.name`,
  );
  const copies = tables.map(async ({ name, columns }) => {
    const { rows } = await from.execute(`select ${columns} from ${name}`);
    return rows.map((row) => ({
      sql: `insert or replace into ${name} (${columns}) values (${Array.from(row, () => "?").join(", ")})`,
      args: Array.from(row),
    }));
  });
  await client.batch(
    [
      "pragma defer_foreign_keys = on",
      ...triggers.map(({ name }) => `drop trigger ${name}`),
      ...(await Promise.all(copies)).flat(),
      ...triggers.map(({ sql }) => String(sql)),
    ],
    "write",
  );
  from.close();
}

test("books from before payouts have the balances of their entries, and can be paid", async () => {
  const world = await createWorld(database.url, { partners: [{}, {}], policies: [{ holdDays: 5 }] });
  await sell(world);
  await callsOf(world, ownLedger(database.url, clock)).maintain();
  await migrateBeforePayouts();
  await copyRows();
  await migrate(before);

  const rows: World["rows"] = async (sql, ...args) => (await client.execute({ sql, args })).rows;
  const statuses = await rows("select distinct status from commissions order by 1");
  expect(statuses.map(({ status }) => status)).toEqual(["approved", "pending", "rejected", "reversed", "void"]);
  expect(await rows("select distinct kind from ledger_entries order by 1")).toMatchObject(
    ["earned", "moved", "rejected", "reversed"].map((kind) => ({ kind })),
  );
  const balances = () =>
    rows(`select currency, partner_id, pending_cents, net_cents, in_payout_cents, paid_cents from partner_balances
      order by currency, partner_id`);
  const sums = await rows(
    `select e.currency, e.partner_id, total(iif(c.approved_at is null, e.amount_cents, 0)) as pending_cents,
       total(iif(c.approved_at is null, 0, e.amount_cents)) as net_cents, 0 as in_payout_cents, 0 as paid_cents
     from ledger_entries e join commissions c on c.id = e.commission_id
     group by 1, 2 order by 1, 2`,
  );
  expect(await balances()).toEqual(sums);
  expect(await auditLedger(client)).toEqual([]);

  const calls = payoutCalls({ programId: world.programId, rows }, ownLedger(before.url, clock), now);
  for (const currency of ["EUR", "USD"]) {
    const { id } = await calls.create(currency);
    await calls.change("confirm-payout", "one", { payoutId: id });
    expect(await calls.finish(id)).toMatchObject({ status: "paid" });
  }
  expect(await balances()).toEqual(
    sums.map((sum) => expect.objectContaining({ net_cents: 0, in_payout_cents: 0, paid_cents: sum.net_cents })),
  );
  expect(await auditLedger(client)).toEqual([]);
});
