import { afterAll, beforeAll, expect, test } from "vitest";
import { startDatabase, type TestDatabase } from "../../harness/database.ts";
import { databaseAt } from "../../harness/database-client.ts";
import { type DatabaseProxy, startDatabaseProxy } from "../../harness/database-proxy.ts";
import { createWorld, type World } from "../../harness/world.ts";
import { withClient } from "../../scripts/database/client.ts";
import { differences } from "../../scripts/shards/compare.ts";
import { copyBooks, copyProgram } from "../../scripts/shards/copy.ts";
import { type Firing, firedBy } from "../../scripts/shards/guarded.ts";
import { Pace } from "../../scripts/shards/pace.ts";
import { readShapes } from "../../scripts/shards/shapes.ts";

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

test("a move reads and compares each row a few times, however many pages there are", async () => {
  const worlds = await Promise.all([createWorld(source.url), createWorld(source.url)]);
  for (const world of worlds) await fill(world);
  const [{ programId }] = worlds;
  const copied = { programId, moveId: 1, from: 1 };
  await withClient({ url: source.url }, (from) =>
    withClient({ url: target.url }, (to) => copyProgram(from, to, copied)),
  );
  const [from, to] = [databaseAt(proxy.url), databaseAt(target.url)];
  const rows = clicks * 2;

  proxy.resetCounts();
  await copyBooks(from, to, copied, slowPace());
  expect(proxy.counts.rows).toBeGreaterThan(rows);
  expect(proxy.counts.rows).toBeLessThan(rows * 4);

  proxy.resetCounts();
  expect(await differences({ programId, source: from, target: to }, slowPace())).toEqual([]);
  expect(proxy.counts.rows).toBeLessThan(rows * 5);

  const select = `select * from clicks where program_id = ${programId} order by id`;
  const [[here] = [], [there] = []] = await Promise.all(
    [from, to].map((each) => each.read([{ sql: select, args: [] }])),
  );
  expect(there).toEqual(here);
  expect(there).toHaveLength(clicks);

  // Of one length, so that neither the number of rows nor any sum tells.
  const [one, other] = [programId * 10 + 1002, programId * 10 + 1003];
  const swap = `update clicks set page_url = c.page_url from clicks c
    where clicks.id in (${one}, ${other}) and c.id = ${one + other} - clicks.id`;
  const swapped = await withClient({ url: target.url }, (client) =>
    client.execute(`${swap} returning length(clicks.page_url) as length`),
  );
  expect(new Set(swapped.rows.map(({ length }) => length)).size).toBe(1);
  expect(await differences({ programId, source: from, target: to }, slowPace())).toEqual(["clicks"]);
  await withClient({ url: target.url }, (client) => client.execute(swap));
  expect(await differences({ programId, source: from, target: to }, slowPace())).toEqual([]);

  await withClient({ url: target.url }, (client) =>
    client.execute(`delete from click_event_ids where click_id = '${programId}-7'`),
  );
  expect(await differences({ programId, source: from, target: to }, slowPace())).toEqual(["click_event_ids"]);

  await withClient({ url: target.url }, (client) =>
    client.execute(`update clicks set country = 'NL' where id = ${programId * 10} + 2500`),
  );
  expect(await differences({ programId, source: from, target: to }, slowPace())).toEqual(["click_event_ids", "clicks"]);
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
