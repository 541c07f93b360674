import { afterAll, beforeAll, expect, test } from "vitest";
import { startDatabase, type TestDatabase } from "../../harness/database.ts";
import { databaseAt } from "../../harness/database-client.ts";
import { type DatabaseProxy, startDatabaseProxy } from "../../harness/database-proxy.ts";
import { createWorld, type World } from "../../harness/world.ts";
import { withClient } from "../../scripts/database/client.ts";
import { copyProgram } from "../../scripts/shards/arrive.ts";
import { compare } from "../../scripts/shards/compare.ts";
import { copyRanges } from "../../scripts/shards/copy.ts";
import { copyRest, wholeOf } from "../../scripts/shards/copy-books.ts";
import { type Firing, firedBy } from "../../scripts/shards/guarded.ts";
import { Pace } from "../../scripts/shards/pace.ts";
import { removeBooks } from "../../scripts/shards/remove-books.ts";
import { readShapes } from "../../scripts/shards/shapes.ts";
import { callsOf } from "../support/ledger-calls.ts";
import { daysAgo } from "../support/program-fixture.ts";

let source: TestDatabase;
let target: TestDatabase;
let proxy: DatabaseProxy;
beforeAll(async () => {
  [source, target] = await Promise.all([startDatabase(), startDatabase()]);
  proxy = await startDatabaseProxy(source.url);
});
afterAll(async () => {
  await proxy.close();
  await Promise.all([source.dispose(), target.dispose()]);
});

const clicks = 3_000;

/** Clicks with their event ids. */
async function fill({ programId, partner, write }: World) {
  const at = Date.now() - 1_000_000;
  const series = `with recursive series (i) as (select 1 union all select i + 1 from series where i < ${clicks})`;
  await write(
    `insert into click_event_ids (program_id, is_test, link_id, event_id, click_id, recorded_at)
      ${series} select ${programId}, 0, ${partner.linkId}, printf('%08x', i * 7919 % 65536), '${programId}-' || i, ${at} from series`,
    `insert into clicks (id, program_id, is_test, created_at, occurred_at, day, click_id, event_id, link_id, partner_id, source,
        is_bot, is_prefetch, page_url)
      ${series} select ${programId * 10} + i, ${programId}, 0, ${at}, ${at} - i / 3, '2026-01-01', '${programId}-' || i,
        printf('%08x', i * 7919 % 65536), ${partner.linkId}, ${partner.id}, 'browser', 0, 0,
        'https://shop.example/' || iif(i % 7 = 0, null, 'a"b''c\\u00e9 é 🎈' || i) from series`,
  );
}

/** Every step seems to take a second, so that pages are as small as they get. */
function slowPace() {
  let now = 0;
  const clock = {
    now: () => {
      now += 1_000;
      return now;
    },
    sleep: async () => {},
  };
  return new Pace(clock, { isAwaited: true });
}

/** Of the first world, whose own row has arrived. */
async function startCopy({ programId }: World) {
  const copied = { programId, moveId: 1, from: 1 };
  await withClient({ url: source.url }, (from) =>
    withClient({ url: target.url }, (to) => copyProgram(from, to, copied)),
  );
  const copying = { programId, copied, source: databaseAt(proxy.url), target: databaseAt(target.url) };
  const all = async () => {
    const { empty, filled } = await wholeOf(copying);
    return [...empty, ...filled];
  };
  const differing = async () => (await compare(copying, await all(), slowPace())).differing;
  return {
    ...copying,
    copyAll: async () => copyRanges(copying, await all(), slowPace()),
    differing,
    differingTables: async () => [...new Set((await differing()).map(({ table }) => table.name))].sort(),
    copyDiffering: async () => copyRanges(copying, await differing(), slowPace()),
  };
}

const atTarget = (sql: string) => withClient({ url: target.url }, (client) => client.execute(sql));

test("a move reads and compares each row a few times, however many pages there are", async () => {
  const [world] = await Promise.all([createWorld(source.url), createWorld(source.url).then(fill)]);
  await fill(world);
  const { programId } = world;
  const { differing, differingTables, copyAll, copyDiffering, ...copying } = await startCopy(world);
  const rows = clicks * 2;

  proxy.resetCounts();
  expect(await copyAll()).toBeGreaterThan(rows);
  expect(proxy.counts.rows).toBeGreaterThan(rows);
  expect(proxy.counts.rows).toBeLessThan(rows * 4);

  proxy.resetCounts();
  expect(await differing()).toEqual([]);
  expect(proxy.counts.rows).toBeLessThan(rows * 5);

  const expectEqual = async () => {
    const select = `select * from clicks where program_id = ${programId} order by id`;
    const [[here] = [], [there] = []] = await Promise.all(
      [copying.source, copying.target].map((each) => each.read([{ sql: select, args: [] }])),
    );
    expect(there).toEqual(here);
    expect(there).toHaveLength(clicks);
  };
  await expectEqual();

  // Of one length, so that neither the number of rows nor any sum tells.
  const [one, other] = [programId * 10 + 1002, programId * 10 + 1003];
  const swap = `update clicks set page_url = c.page_url from clicks c
    where clicks.id in (${one}, ${other}) and c.id = ${one + other} - clicks.id`;
  const swapped = await atTarget(`${swap} returning length(clicks.page_url) as length`);
  expect(new Set(swapped.rows.map(({ length }) => length)).size).toBe(1);
  expect(await differingTables()).toEqual(["clicks"]);
  await atTarget(swap);
  expect(await differingTables()).toEqual([]);

  await atTarget(`delete from click_event_ids where click_id = '${programId}-7'`);
  expect(await differingTables()).toEqual(["click_event_ids"]);
  await atTarget(`update clicks set country = 'NL' where id = ${programId * 10} + 2500`);
  expect(await differingTables()).toEqual(["click_event_ids", "clicks"]);

  // Rows that the target alone has, in more pages than one, and at the end.
  await atTarget(`insert into clicks (id, program_id, is_test, created_at, occurred_at, day, click_id, link_id, partner_id, source, is_bot, is_prefetch)
    select id + 50000, program_id, is_test, created_at, occurred_at + (id % 3) * 5000, day, click_id || '-more', link_id, partner_id, source, is_bot, is_prefetch
    from clicks where program_id = ${programId} and id % 5 = 0`);
  // And the counts that triggers kept of them.
  expect(await copyDiffering()).toBe(2 + clicks / 5 + 2);
  expect(await differing()).toEqual([]);
  await expectEqual();
});

test("what has changed since a copy is copied, whatever refers to it or has its place", async () => {
  const world = await createWorld(source.url, { partners: [{}, {}] });
  const { partners } = world;
  const [first, second] = partners.map(({ id }) => id);
  const named = (id: number | undefined, name: string | null) =>
    `update partners set external_id = ${name === null ? null : `'${name}'`} where id = ${id}`;
  await world.write(named(first, "a"), named(second, "b"));
  const { click, lead, sale, refund } = callsOf(world, source.url);
  await lead("key", partners.map((partner) => click(partner, daysAgo(30))).slice(0, 1));
  for (const n of [1, 2, 3, 4]) await sale(`t${n}`, daysAgo(20, n));
  const { copyAll, copyDiffering, differing, differingTables } = await startCopy(world);
  await copyAll();
  expect(await differing()).toEqual([]);

  // A unique value changes hands, commissions change the status that their pages follow, and a row that the target alone has is referred to.
  await world.write(named(first, null), named(second, "a"), named(first, "b"));
  await refund("t1", "amount", { refundId: "r1", cents: 100 });
  await refund("t2", "rest", { refundId: "r2" });
  await sale("t5", daysAgo(10));
  await atTarget(`insert into partners (id, program_id, name, status, created_at) select id + 1, program_id, 'Gone', status, created_at
    from partners where id = ${second}`);
  await atTarget(`insert into referral_links (id, program_id, partner_id, code, code_key, destination_url, status, created_at)
    select id + 1, program_id, partner_id + 1, code || 'x', code_key || 'x', destination_url, status, created_at
    from referral_links where partner_id = ${second}`);
  expect(await differingTables()).toEqual(
    expect.arrayContaining(["commissions", "ledger_entries", "partners", "referral_links", "refunds", "sales"]),
  );
  await copyDiffering();
  expect(await differing()).toEqual([]);
  const { rows } = await atTarget(`select external_id from partners where id = ${second}`);
  expect(rows[0]?.external_id).toBe("a");
});

test("unique values that rows far apart have swapped are copied, though no page of them can be alone", async () => {
  const world = await createWorld(source.url, { partners: Array.from({ length: 200 }, () => ({})) });
  const ids = world.partners.map(({ id }) => id).sort((a, b) => a - b);
  const [first, last] = [ids[0], ids.at(-1)];
  const named = (id: number | undefined, name: string | null) =>
    `update partners set external_id = ${name === null ? null : `'${name}'`} where id = ${id}`;
  await world.write(named(first, "a"), named(last, "b"));
  const { copyAll, differing, ...copying } = await startCopy(world);
  await copyAll();
  await world.write(named(first, null), named(last, "a"), named(first, "b"));
  await withClient({ url: target.url }, (client) =>
    copyRest(copying, slowPace(), () => removeBooks(client, copying.copied, "arriving", slowPace())),
  );
  expect(await differing()).toEqual([]);
  const { rows } = await atTarget(`select external_id from partners where id = ${last}`);
  expect(rows[0]?.external_id).toBe("a");
});

test("a page that refers to what isn't there yet waits for the next copy", async () => {
  const world = await createWorld(source.url);
  const { click, lead, sale } = callsOf(world, source.url);
  await lead("key", [click(world.partner, daysAgo(30))]);
  await sale("t1", daysAgo(20));
  const { copyAll, copyDiffering, differing, differingTables, ...copying } = await startCopy(world);
  const { empty } = await wholeOf(copying);
  const late = empty.filter(({ table }) => table.name !== "customers");
  await copyRanges(copying, late, slowPace());
  expect(await differingTables()).toEqual(expect.arrayContaining(["customers", "sales", "commissions"]));
  await copyDiffering();
  expect(await differing()).toEqual([]);
});

test("a move drops no trigger that its writes wouldn't fire", async () => {
  const shapeOf = await readShapes(databaseAt(target.url));
  const names = (table: string, firing: Firing) => firedBy(shapeOf(table), firing).map(({ name }) => name);
  expect(names("clicks", "DELETE")).toEqual(["clicks_removed"]);
  expect(names("clicks", "INSERT")).toEqual([
    ...["clicks_counted", "clicks_late", "clicks_of_the_hour", "clicks_once", "clicks_uncounted"],
  ]);
  expect(names("click_event_ids", "INSERT")).toEqual([]);
});
